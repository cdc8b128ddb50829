"""The conversation that a model sees, and the positions of a model's quotations in this conversation."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from slowwave.core.beliefs.identity import normal
from slowwave.domain.claim import Form
from slowwave.domain.episode import StoredEpisode
from slowwave.rules.sentence_splitting import Quotations

SAME = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u0060\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    }
)
"""Variants of characters with the same meaning. All variants of a character are mapped to one character."""
GAP = re.compile(r"\s*(?:\u2026|\.\.\.|\[\.\.\.\])\s*")
RUN_WORDS = 4
RUN_SHARE = 0.7
"""The least share of a quotation's words that its longest matching run must have. With a smaller share, the words were
not said.
"""
MOST_WORDS = 60
MOST_TEXT_WORDS = 5_000
"""The maximum number of words of a text that is searched for runs, because the search takes the product of both
lengths. A longer text is searched only for exact quotations.
"""

CLAUSE_ENDS = re.compile(r"[.!?;:,\n]|\b(?:but|and|so|because|aber|und)\b")
SENTENCE = re.compile(r"[^.!?\n]*[.!?]*")
_WORD = re.compile(r"\w+")

Where = tuple[int, int]
LONGEST_TURN = 4_000
"""The maximum number of characters of a user's turn that are shown. Longer turns are usually pasted text."""
LONGEST_ANSWER = 400
"""The maximum number of characters of an assistant's turn that are shown: its beginning, and its end, which may have a
question.
"""
LONGEST_NAME = 40
SPEAKING_ROLES = ("user", "assistant")
_LINE_OF_ITS_OWN = re.compile(r"^[ \t]*(?:>|\[memor(?:y|ies)\]|\[recalled\])[^\n]*", re.IGNORECASE | re.MULTILINE)
_BLOCK = re.compile(r"<memor(?:y|ies)>.*?(?:</memor(?:y|ies)>|\Z)", re.DOTALL | re.IGNORECASE)
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+")


def located(quote: str, text: str) -> Where | None:
    """Return the span of *text* that *quote* matches, with an exclusive end; None if there is no match.

    A gap (`…`) in the quotation matches any text between the words around the gap.

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
    """Return *text* in lower case with single spaces, and the original index of each character."""
    plain: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text.translate(SAME)):
        if character.isspace():
            if plain and plain[-1] == " ":
                continue
            character = " "
        small = character.lower()
        plain.append(small if len(small) == 1 else character)
        places.append(place)
    return "".join(plain), places


def _across(parts: Sequence[str], plain: str) -> Where | None:
    """Return the span of *plain* from the first of *parts* to the last, if the parts are there in this order."""
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
    """Return whether no ASCII word is cut at *start* or *end*. Other scripts may have no spaces between words."""
    return not (_joined(text, start) or _joined(text, end))


def _joined(text: str, at: int) -> bool:
    return 0 < at < len(text) and all(one.isascii() and one.isalnum() for one in text[at - 1 : at + 1])


def _bare(wanted: str, plain: str) -> Where | None:
    """Return the span of the quotation without the punctuation around the quotation."""
    bare = wanted.strip("\"'.,;:!?-()[] ")
    return _across([bare], plain) if bare and bare != wanted else None


def _run(wanted: str, plain: str) -> Where | None:
    """Return the longest run of words in both texts, if the run is most of the quotation."""
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
    """Return the words of a span, with the words before it in the same clause."""
    begin, end = span
    return CLAUSE_ENDS.split(text[:begin])[-1] + text[begin:end]


def sentence_at(text: str, span: Where) -> str:
    """Return the sentence in which a span begins."""
    found = (match for match in SENTENCE.finditer(text) if match.start() <= span[0] < match.end())
    return next((match[0].strip() for match in found), text[slice(*span)])


def is_quoted(text: str, where: int) -> bool:
    """Return whether the words at *where* quote another person. A title in quotation marks does not count."""
    return Quotations(text).hold(where) and text[where - 1] not in '"\u201c\u00ab'


def is_speech(episode: StoredEpisode) -> bool:
    """Return whether an episode is somebody's speech, not a tool call, a read memory or an outcome."""
    return episode.kind == "message" and episode.role in SPEAKING_ROLES


def pasted_spans(content: str) -> list[Where]:
    """Return the spans of *content* with text that was pasted from elsewhere: blocks of memories, and quoted lines."""
    return sorted(found.span() for one in (_BLOCK, _LINE_OF_ITS_OWN) for found in one.finditer(content))


def speaker(episode: StoredEpisode) -> str:
    """Return the name of a turn's speaker in facts: `assistant`, the name that the agent gave, or `user`."""
    if episode.role == "assistant":
        return "assistant"
    return " ".join((episode.speaker or "user").split())


def label(episode: StoredEpisode) -> str:
    """Return the speaker for the start of a line, in a form that a model cannot mistake for another line or role."""
    name = " ".join(_CONTROL.sub(" ", speaker(episode)).replace(":", " ").split())[:LONGEST_NAME]
    return name if episode.role == "assistant" or name.casefold() not in ("assistant", "system", "tool") else "user"


def shown(episode: StoredEpisode) -> str:
    """Return the text of a turn as one line, cut to the shown length. Pasted memories and code are removed."""
    text = _BLOCK.sub(" [recalled] ", episode.content)
    text = _CODE.sub(" [code] ", _LINE_OF_ITS_OWN.sub(" [recalled] ", text))
    text = " ".join(_CONTROL.sub(" ", text).split())
    if episode.role == "assistant" and len(text) > LONGEST_ANSWER:
        half = LONGEST_ANSWER // 2
        return f"{text[:half]} […] {text[-half:]}"
    return text if len(text) <= LONGEST_TURN else f"{text[:LONGEST_TURN]} […]"


def lines(turns: Sequence[StoredEpisode], numbers: Mapping[int, int]) -> list[str]:
    """Return *turns* as lines with their *numbers*, by position; each day or session begins with a header line."""
    found, before = list[str](), ("", "")
    for turn in turns:
        day = f"{turn.local:%A %Y-%m-%d}"
        if (turn.session, day) != before:
            found.append(f"# {day}")
            before = turn.session, day
        who = f"{label(turn)}: "
        found.append(f"{numbers[turn.position]} {who}{shown(turn).removeprefix(who)}")
    return found


class NumberedBelief(NamedTuple):
    """A numbered belief that the model sees beside a conversation."""

    subject: str
    predicate: str
    object: str
    text: str = ""
    form: Form = "typed"


@dataclass(frozen=True, slots=True)
class Turn:
    """A numbered turn. The model was asked about the turn, or the turn was only shown as context."""

    episode: StoredEpisode
    about: bool

    @property
    def users(self) -> bool:
        """True if a person said the turn."""
        return self.episode.role != "assistant"


@dataclass(frozen=True, slots=True)
class Transcript:
    """The turns of a chunk by number, with their context. *beliefs* has the beliefs by number.

    *names* are the names that the scope knows. *called* is the name of the user.
    """

    turns: Mapping[int, Turn]
    beliefs: Mapping[int, NumberedBelief] = field(default_factory=dict)
    names: Sequence[str] = ()
    called: str | None = None
    texts: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, about: Sequence[StoredEpisode], beside: Sequence[StoredEpisode], noted: Mapping[str, Any]
    ) -> "Transcript":
        """Rebuild the conversation from the data that was stored with its request (*noted*).

        Erased turns are left out.
        """
        here = {turn.position: Turn(turn, True) for turn in about}
        here |= {turn.position: Turn(turn, False) for turn in beside if turn.position not in here}
        numbered = {
            number: here[position] for number, position in enumerate(noted.get("turns", ()), 1) if position in here
        }
        beliefs = {number: NumberedBelief(*one) for number, one in enumerate(noted.get("held", ()), 1)}
        texts = frozenset(normal(one.text) for one in beliefs.values() if one.text)
        return cls(numbered, beliefs, tuple(noted.get("names", ())), noted.get("called"), texts)

    def spoken_before(self, number: int) -> list[Turn]:
        """Return the turns of the same session shown before turn *number*, nearest first."""
        turn = self.turns[number].episode
        earlier = [one for other, one in self.turns.items() if one.episode.session == turn.session and other < number]
        return sorted(earlier, key=lambda one: -one.episode.position)


@dataclass(frozen=True, slots=True)
class Cited:
    """The words that support a claim: the quoted *turn*, the *span* of the quotation, and the answered turn (*beside*).

    *before* are the earlier turns of the session, nearest first.
    """

    turn: Turn
    span: Where
    before: Sequence[Turn]
    beside: Turn | None = None

    @property
    def words(self) -> str:
        """The quoted words, as they were said."""
        return self.turn.episode.content[slice(*self.span)]

    @property
    def clause(self) -> str:
        """The words of the quotation, with the words before them in the same clause."""
        return clause_at(self.turn.episode.content, self.span)


@dataclass(frozen=True, slots=True)
class Support:
    """The share of an object's words that persons said (*own*), and the share that anybody said (*every*)."""

    own: float
    every: float
