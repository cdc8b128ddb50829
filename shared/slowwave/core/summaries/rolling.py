"""The rolling summary of a session: the few sentences that say most, in the speakers' own words.

What a sentence says is judged by the sentence alone. So the summary of everything is that of the summary so far and
what is new, however the messages were cut into windows.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from slowwave.core.beliefs.identity import normal
from slowwave.domain.claim import Source
from slowwave.domain.episode import StoredEpisode

QUOTING = "extractive"
"""The name of this way to sum up, as it stands in the rule of a summary."""
SENTENCES = 12
"""About two hundred tokens of ordinary talk: a fortieth of what working memory holds."""
MOST_SENTENCES = 5_000
"""Of one message, which is a book of 256 kB; what follows is not read."""
SENTENCE_CHARACTERS = 300
"""What is read of a sentence; who says more in one has said it in the first three lines."""
QUESTION = 0.5
"""What a question is worth beside a statement: it says what was asked, not what is."""

_SENTENCE = re.compile(r"(?:[^\s.!?。！？]|[.!?](?!\s|$))(?:[^\n.!?。！？]|[.!?](?!\s|$))*[.!?。！？]*")
_WORD = re.compile(r"\w+")
_COMMON = frozenset(
    _WORD.findall(
        "about after again also because been before being could does doing down from have having here into just like "
        "made many more most much only other over really some such than that their them then there these they this "
        "those thing things through very want well were what when where which while will with would your yours"
    )
)
_SHORTEST = 4
"""Letters of a word that may say something; shorter ones are mostly grammar."""


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence with who said it, and the words it was taken from; in other words it may rest on *more* of them."""

    text: str
    source: Source
    more: tuple[Source, ...] = ()

    @property
    def sources(self) -> tuple[Source, ...]:
        """All the words it rests on, the newest first."""
        return (self.source, *self.more)


def sentences(message: StoredEpisode) -> Iterator[Line]:
    """Return the sentences of a message, each as `speaker: sentence` with its white space collapsed."""
    speaker = " ".join((message.speaker or message.role).split())
    for found in islice(_SENTENCE.finditer(message.content), MOST_SENTENCES):
        words = found.group()[:SENTENCE_CHARACTERS].rstrip()
        source = Source(message.id, message.key, message.position, found.start(), found.start() + len(words))
        yield Line(f"{speaker}: {' '.join(words.split())}", source)


def quoted(previous: Sequence[Line], messages: Iterable[StoredEpisode]) -> list[Line]:
    """Return the lines of the summary of *previous* and *messages*, in the order things were said."""
    return best([*previous, *(line for message in messages for line in sentences(message))])


def best(lines: Iterable[Line], *, most: int = SENTENCES) -> list[Line]:
    """Return the *most* lines that say most, in the order they were said; what was said twice, as said last."""
    last = {normal(line.text): line for line in sorted(lines, key=_position)}
    ranked = sorted(last.values(), key=lambda line: (worth(line.text), *_position(line)), reverse=True)
    return sorted(ranked[:most], key=_position)


def worth(line: str) -> float:
    """Return how much a line says: its different words, names and numbers doubly, against its length.

    The speaker before a quote counts for nothing; a line without one is told in other words.

    >>> worth("user: I moved to Oslo in 2024.") > worth("user: Well, that is really very nice to hear.")
    True
    """
    said = line.partition(": ")[2] or line
    words = _WORD.findall(said)
    if not words:
        return 0.0
    telling = {word.casefold() for word in words if len(word) >= _SHORTEST} - _COMMON
    named = {word for word in words[1:] if word[0].isupper() and len(word) > 1} | {w for w in words if w[0].isdigit()}
    value = (len(telling) + 2 * len(named)) / math.sqrt(len(words))
    return round(value * (QUESTION if said.endswith(("?", "？")) else 1), 6)


def subject(session: str) -> str:
    """Return what a session's summary is about: the session, so written that no two are taken for one.

    Subjects are compared without case; sessions are not.

    >>> subject("s1"), subject("S1"), subject("a b%")
    ('session/s1', 'session/%531', 'session/a%20b%25')
    """
    return "session/" + "".join(
        chr(byte) if chr(byte) in _PLAIN else f"%{byte:02x}" for byte in session.encode("utf-8")
    )


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")


def _position(line: Line) -> tuple[int, int]:
    return line.source.position, line.source.start


def join(lines: Sequence[Line]) -> str:
    """Return the text of a summary: a line a sentence."""
    return "\n".join(line.text for line in lines)


def split(text: str, sources: Sequence[Source]) -> list[Line]:
    """Return the lines of a summary's text, given the words each rests on, in the order of the lines.

    A summary that somebody wrote by hand may have other sources than one a line; all its lines rest on the last.
    """
    lines = text.split("\n")
    resting = sources if len(sources) == len(lines) else [sources[-1]] * len(lines)
    return [Line(line, source) for line, source in zip(lines, resting, strict=True)]
