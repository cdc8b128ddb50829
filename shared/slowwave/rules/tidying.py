"""Cleaning of a claim's objects, and refusal of those not worth holding."""

from collections.abc import Iterator

from slowwave.rules.compiling import Rule
from slowwave.rules.pack_schema import TidyPart
from slowwave.rules.regexes import Sieve, compiled

_EDGES = " \t\r\n,;:!?.\"'()[]*~_\u2026\u201c\u201d\u00ab\u00bb-\u2013\u2014"
_BETWEEN = compiled(r",? +(?:and|&|or) +|, *")


class Tidy:
    """A pack's way with objects."""

    def __init__(self, part: TidyPart) -> None:
        self._lead = [compiled(f"^(?:{pattern})") for pattern in part.lead]
        self._cuts = {"light": Sieve(part.cut), "full": Sieve([*part.cut, *part.trim])}
        self._refuse = Sieve(part.refuse)
        self._longest = part.longest

    def span(self, text: str, start: int, end: int, rule: Rule) -> tuple[int, int] | None:
        """Return the part of *text* from *start* to *end* that is worth holding as an object of *rule*, if any is."""
        start, end = trimmed(text, start, end)
        if rule.part.tidy != "none":
            start, end = self._shorter(text, start, end, self._cuts[rule.part.tidy])
            for expression in self._lead:
                if found := expression.search(text[start:end]):
                    start, end = trimmed(text, start + found.end(), end)
            if self._refuse.hits(text[start:end]):
                return None
        if start == end or end - start > self._longest or rule.refuse.hits(text[start:end]):
            return None
        return start, end

    def _shorter(self, text: str, start: int, end: int, cuts: Sieve) -> tuple[int, int]:
        before = None
        while before != end:  # one cut may lay bare another: "tea a lot with"
            before = end
            for number in cuts.candidates(text[start:end]):
                if cut := cuts.expressions[number].search(text[start:end]):
                    start, end = trimmed(text, start, start + cut.start())
        return start, end


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without the spaces and punctuation around it; a title keeps the mark that closes it."""
    words = text[start:end].rstrip(_EDGES)
    begin = start + len(words) - len(words.lstrip(_EDGES))
    last = start + len(words)
    last += last < end and text[last] == '"' and text.count('"', begin, last) % 2
    return min(begin, last), last


def listed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Return the members of a list in words, "Ana, Ben and Cleo", as spans of *text*."""
    begin = start
    for between in _BETWEEN.finditer(text[start:end]):
        yield begin, start + between.start()
        begin = start + between.end()
    yield begin, end
