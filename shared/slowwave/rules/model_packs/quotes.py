"""Quotations of a model, located in the text: exactly, else ignoring typography, else by their longest run of words."""

import re
from collections.abc import Sequence

from slowwave.rules.sentence_splitting import Quotations

SAME = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u0060\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    }
)
"""Characters with several variants of the same meaning, each mapped to one character."""
GAP = re.compile(r"\s*(?:\u2026|\.\.\.|\[\.\.\.\])\s*")
RUN_WORDS = 4
RUN_SHARE = 0.7
"""The least share of a quotation's words in its longest matching run; below it, the words were not said."""
MOST_WORDS = 60
MOST_TEXT_WORDS = 5_000
"""The most words of a text that is searched for runs, which takes the product of both lengths; a longer text is only
searched for exact quotations."""

CLAUSE_ENDS = re.compile(r"[.!?;:,\n]|\b(?:but|and|so|because|aber|und)\b")
SENTENCE = re.compile(r"[^.!?\n]*[.!?]*")
_WORD = re.compile(r"\w+")

Where = tuple[int, int]


def located(quote: str, text: str) -> Where | None:
    """Return the span of *text* that *quote* matches, end exclusive; None if there is none.

    A gap in it (`…`) matches any text between its first and last words.

    >>> located("i’m  from Oslo", "Well, I'm from Oslo.")
    (6, 19)
    >>> located("went … support group", "I went to a support group")
    (2, 25)
    >>> located("I hate tea", "I like tea") is None
    True
    """
    quote = quote.strip()
    if not _WORD.search(quote):
        return None
    start = text.find(quote)
    if start >= 0 and _whole(text, start, start + len(quote)):
        return start, start + len(quote)
    plain, places = _plain(text)
    wanted = _plain(quote)[0].strip()
    found = _across(GAP.split(wanted), plain) or _bare(wanted, plain) or _run(wanted, plain)
    return found and (places[found[0]], places[found[1] - 1] + 1)


def _plain(text: str) -> tuple[str, list[int]]:
    """Return *text* in lower case, with single spaces, and the original index of each character."""
    kept: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text.translate(SAME)):
        if character.isspace():
            if kept and kept[-1] == " ":
                continue
            character = " "
        small = character.lower()
        kept.append(small if len(small) == 1 else character)
        places.append(place)
    return "".join(kept), places


def _across(parts: Sequence[str], plain: str) -> Where | None:
    """The span from the first of *parts* to the last, in order."""
    parts = [part for part in parts if part]
    start = end = -1
    for part in parts:
        begin = _find(part, plain, max(end, 0))
        if begin < 0:
            return None
        start, end = (begin if start < 0 else start), begin + len(part)
    return (start, end) if parts else None


def _find(part: str, plain: str, after: int) -> int:
    begin = plain.find(part, after)
    while begin >= 0 and not _whole(plain, begin, begin + len(part)):
        begin = plain.find(part, begin + 1)
    return begin


def _whole(text: str, start: int, end: int) -> bool:
    """Return whether no word is cut at either end; scripts without spaces have no word ends."""
    return not (_joined(text, start) or _joined(text, end))


def _joined(text: str, at: int) -> bool:
    return 0 < at < len(text) and all(one.isascii() and one.isalnum() for one in text[at - 1 : at + 1])


def _bare(wanted: str, plain: str) -> Where | None:
    """The span of the quotation without the punctuation around it."""
    bare = wanted.strip("\"'.,;:!?-()[] ")
    return _across([bare], plain) if bare and bare != wanted else None


def _run(wanted: str, plain: str) -> Where | None:
    """The longest run of words in both, if it is most of the quotation."""
    mine, theirs = list(_WORD.finditer(wanted)), list(_WORD.finditer(plain))
    if not RUN_WORDS <= len(mine) <= MOST_WORDS or len(theirs) > MOST_TEXT_WORDS:
        return None
    best, last = (0, 0), [0] * (len(theirs) + 1)
    for one in mine:
        row = [0] * (len(theirs) + 1)
        for place, other in enumerate(theirs, 1):
            if one[0] == other[0]:
                row[place] = last[place - 1] + 1
                best = max(best, (row[place], -place))
        last = row
    length, end = best[0], -best[1]
    if length < max(RUN_WORDS, RUN_SHARE * len(mine)):
        return None
    return theirs[end - length].start(), theirs[end - 1].end()


def clause_at(text: str, span: Where) -> str:
    """Return the words of a span with the earlier words of its clause."""
    begin, end = span
    return CLAUSE_ENDS.split(text[:begin])[-1] + text[begin:end]


def sentence_at(text: str, span: Where) -> str:
    """Return the sentence in which a span begins."""
    found = (match for match in SENTENCE.finditer(text) if match.start() <= span[0] < match.end())
    return next((match[0].strip() for match in found), text[slice(*span)])


def is_quoted(text: str, where: int) -> bool:
    """Return whether the words at *where* quote somebody else; a title in quotation marks does not count."""
    return Quotations(text).hold(where) and text[where - 1] not in '"\u201c\u00ab'
