"""How objects are cleaned, and which are not worth holding."""

from collections.abc import Iterator

from slowwave.rules.manifest import TidyPart
from slowwave.rules.patterns import Sieve, compiled

_EDGES = " \t\r\n,;:!?.\"'()[]*~_\u2026\u201c\u201d\u00ab\u00bb-\u2013\u2014"
_BETWEEN = compiled(r",? +(?:and|&|or) +|, *", {})


class Tidy:
    """A pack's way with objects."""

    def __init__(self, part: TidyPart) -> None:
        self._lead = [compiled(f"^(?:{pattern})", {}) for pattern in part.lead]
        self._cuts = Sieve(part.cut)
        self._refuse = Sieve(part.refuse)
        self._longest = part.longest

    def span(self, text: str, start: int, end: int, *, clean: bool) -> tuple[int, int] | None:
        """Return the part of *text* from *start* to *end* that is worth holding, if any is."""
        if clean:
            words = text[start:end]
            for number in self._cuts.candidates(words):
                if cut := self._cuts.expressions[number].search(words):
                    words = words[: cut.start()]
            start, end = trimmed(text, start, start + len(words))
            for expression in self._lead:
                if found := expression.search(text[start:end]):
                    start += found.end()
        start, end = trimmed(text, start, end)
        if start == end or end - start > self._longest or (clean and self._refuse.hits(text[start:end])):
            return None
        return start, end


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without the spaces and punctuation around it."""
    words = text[start:end]
    end = start + len(words.rstrip(_EDGES))
    return min(start + len(words) - len(words.lstrip(_EDGES)), end), end


def listed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Return the members of a list in words, "Ana, Ben and Cleo", as spans of *text*."""
    begin = start
    for between in _BETWEEN.finditer(text[start:end]):
        yield begin, start + between.start()
        begin = start + between.end()
    yield begin, end
