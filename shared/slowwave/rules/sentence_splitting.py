"""An episode's text as sentences. Each sentence has its offset in the episode and its speaker.

Every character keeps its place, so that offsets in the text are also offsets in the episode. The splitting takes linear
time for any text: after a failed match, an expression does not read the same text again.
"""

import re
import string
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

LONGEST_SENTENCE = 1_000
"""The maximum number of characters of a sentence. A longer text without a full stop is data, not prose."""
LONGEST_CACHED = 4_000
"""The maximum number of characters of a text whose sentences are cached, because a turn is read several times."""
LONGEST_QUOTATION = 2_000
"""The maximum number of characters of a quotation, which is within one line. A later closing mark does not count."""

_SAME_WIDTH = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u00a0": " ", "\t": " ", "\u202f": " "})
_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<memory>.*?(?:</memory>|\Z)", re.DOTALL | re.IGNORECASE)
_CODE = re.compile(r"`[^`\n]+`")
_CLOSING = {'"': '"', "\u201c": "\u201d", "\u00ab": "\u00bb"}
_OPENING = re.compile("[" + "".join(_CLOSING) + "]")
_QUOTED_LINES = re.compile(r"^[^\S\n]*+(?:>|\[memor(?:y|ies)\]|\[recalled\]).*$", re.IGNORECASE | re.MULTILINE)
_SPEAKER = re.compile(r"\s*(?P<name>[^\W\d_][\w'-]*(?: [^\W\d_][\w'-]*){0,2}):\s+(?=\S)")
_MARK = (
    r"[.!?\u2026;\u2022](?:(?<=[;\u2022])\s"
    r"|(?<=[.!?\u2026])(?<![.!?\u2026]{2})[.!?\u2026]*+[\"'\u201d\u00bb)\]*]*+(?=\s|$))"
)
"""The pattern of a mark. It starts with the punctuation, not with a lookbehind, which makes it many times as fast."""
_STOP, _STOP_OR_DASH = re.compile(_MARK), re.compile(rf"{_MARK}|\s[\u2013\u2014]\s|\s--?\s")
_DASHES = ("-", "\u2013", "\u2014")
_END = re.compile(r"[.!?\u2026](?=\s|$)")
LONGEST_AFTER = 160
"""The maximum number of characters of the text after a dash that may add to the words before the dash."""
_MARKS = string.whitespace + string.punctuation + "\u2026\u2022\u2013\u2014\u201c\u201d\u00ab\u00bb"
"""Characters that alone do not make a sentence."""
_SHORT = re.compile(
    r"(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|St|Prof|Jr|Sr|vs|e\.g|i\.e|approx|[^\W\d_]|(?:\w\.)+\w)$", re.IGNORECASE
)
_COMPANY = re.compile(r"\b(?:Inc|Ltd|Corp|Co|Bros)$")
_GOES_ON = re.compile(r"\s+[a-z]")
"""Text after a company's abbreviation which shows that the full stop does not end the sentence."""
_SLIP = re.compile(
    r"\s*(?:(?:no|oh|ah)\b[,.! \u2013-]*)*(?:(?:oops|whoops|sorry|wait|argh|ugh|damn|typo|digits|correction|hang on"
    r"|hold on|(?:my|a) (?:bad|mistake|typo)|scratch that|i misspoke)\b[,.! \u2013-]*(?:no\b[,.! \u2013-]*)?)+"
    r"(?=\s+(?:(?:it|that)(?:'s| is| was| should be)|make it|i meant?)?\s*(?:(?:on|at) )?"
    r"(?:[a-z]+days?|[a-z]{3,9} \d{1,2}(?:st|nd|rd|th)?|[\d\u00a3$\u20ac][\w.:,]*\b(?: [a-z]{1,6})?)[.!]*(?:\s|$))",
    re.IGNORECASE,
)
"""Words of correction before the right value. "Oops. It's 8081." counts as one sentence."""

_THE_USER = {"user", "human", "me"}
_NOT_THE_USER = {"assistant", "ai", "bot", "system", "agent", "tool"}


class Sentence(NamedTuple):
    """One sentence: its words, the offset of the first word, and the speaker named in a prefix.

    The speaker is None if the sentence has no such prefix. *after* is the text after the dash that ends the sentence.
    """

    text: str
    start: int
    speaker: str | None
    after: str = ""


def plain(content: str) -> str:
    """Return *content* in the same length.

    Apostrophes and spaces are normalised; code and quoted text become blanks.
    """
    text = content if content.isascii() and "\t" not in content else content.translate(_SAME_WIDTH)
    if ">" in text or "[" in text:  # done before code is blanked, because the whole line was not said
        text = _QUOTED_LINES.sub(lambda match: " " * len(match[0]), text)
    if "`" in text or "~~~" in text or "<" in text:
        text = _FENCE.sub(lambda match: "\n" * len(match[0]), text)
        text = _CODE.sub(lambda match: "\ufffc" * len(match[0]), text)
    return text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)


class Quotations:
    """The spans of quotations in a text, computed at the first use."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans: list[tuple[int, int]] | None = None

    def hold(self, offset: int) -> bool:
        """Return whether *offset* lies within a quotation."""
        if self._spans is None:
            self._spans = list(_quotations(self._text))
        before = bisect_left(self._spans, (offset, 0)) - 1 if self._spans else -1
        return before >= 0 and offset < self._spans[before][1]


def _quotations(text: str) -> Iterator[tuple[int, int]]:
    """Give the non-empty spans from a quotation mark to the next closing mark. Each closing mark is searched once."""
    ahead = dict.fromkeys((*_CLOSING.values(), "\n"), -1)
    after = 0
    for opening in _OPENING.finditer(text):
        start = opening.start()
        closing = _CLOSING[opening[0]]
        if start < after:
            continue
        for mark in (closing, "\n"):
            if ahead[mark] <= start:
                found = text.find(mark, start + 1)
                ahead[mark] = found if found >= 0 else sys.maxsize
        if start + 1 < ahead[closing] <= start + 1 + LONGEST_QUOTATION and ahead[closing] < ahead["\n"]:
            after = ahead[closing] + 1
            yield start, after


def sentences(text: str, not_names: frozenset[str]) -> Iterator[Sentence]:
    """Return the sentences of a plain *text*. Lines of an assistant are left out."""
    if len(text) > LONGEST_CACHED:
        return _sentences(text, not_names)
    return iter(_cached(text, not_names if ":" in text else frozenset()))


@lru_cache(maxsize=64)
def _cached(text: str, not_names: frozenset[str]) -> Sequence[Sentence]:
    return list(_sentences(text, not_names))


def _sentences(text: str, not_names: frozenset[str]) -> Iterator[Sentence]:
    speaker: str | None = None
    silent, start = False, 0
    for line in text.split("\n"):
        begin = start
        start += len(line) + 1
        if not line:
            continue
        if ":" in line and (prefix := _SPEAKER.match(line)) and _is_name(prefix["name"], not_names):
            name = prefix["name"].casefold()
            silent = name in _NOT_THE_USER
            speaker = None if name in _THE_USER else prefix["name"]
            begin += prefix.end()
            line = line[prefix.end() :]
        if not silent:
            yield from _split(line, begin, speaker)


def _is_name(name: str, not_names: frozenset[str]) -> bool:
    folded = name.casefold()
    if folded in _THE_USER or folded in _NOT_THE_USER:
        return True
    parts = name.split()
    return all(part[0].isupper() for part in parts) and not any(part in not_names for part in folded.split())


def _split(line: str, offset: int, speaker: str | None) -> Iterator[Sentence]:
    start = 0
    dashed = any(dash in line for dash in _DASHES)
    for stop in (_STOP_OR_DASH if dashed else _STOP).finditer(line):
        if stop[0] == "." and _is_short(line[max(start, stop.start() - 12) : stop.start()], line, stop.end()):
            continue
        if start == 0 and (slip := _SLIP.match(line)) and slip.end() == stop.end():
            continue
        yield from _sentence(line, start, stop.end(), offset, speaker)
        start = stop.end()
    yield from _sentence(line, start, len(line), offset, speaker)


def _is_short(before: str, line: str, end: int) -> bool:
    """Return True if the full stop that ends at *end* belongs to the abbreviation *before* it."""
    return bool(_SHORT.search(before) or (_COMPANY.search(before) and _GOES_ON.match(line, end)))


def _sentence(line: str, start: int, end: int, offset: int, speaker: str | None) -> Iterator[Sentence]:
    words = line[start:end]
    if len(words) <= LONGEST_SENTENCE and words.strip(_MARKS):
        lead = len(words) - len(words.lstrip())
        stripped = words.strip()
        after = (
            _END.split(line[start + lead + len(stripped) :][:LONGEST_AFTER], 1)[0] if stripped.endswith(_DASHES) else ""
        )
        yield Sentence(stripped, offset + start + lead, speaker, after)
