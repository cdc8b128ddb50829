"""The most informative sentences of a session, in the speakers' own words, as dated lines of a summary."""

import math
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from slowwave.core.beliefs.identity import normal
from slowwave.core.predicates.english import TEXTS, these
from slowwave.core.tokens import tokens
from slowwave.domain.claim import Source
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.queries.summary import SummaryLine

SENTENCES = 12
"""The number of sentences of a summary. They have about two hundred tokens of ordinary talk, a fortieth of a working
memory."""
MOST_SENTENCES = 5_000
"""The maximum number of sentences that are read of one message, because a message of 256 kB is as long as a book."""
SENTENCE_CHARACTERS = 300
"""The number of characters of a sentence that are read. The later part of a longer sentence says little."""
QUESTION = 0.5
"""The value of a question relative to a statement, because a question states no fact."""

_SENTENCE = re.compile(r"(?:[^\s.!?。！？]|[.!?](?!\s|$))(?:[^\n.!?。！？]|[.!?](?!\s|$))*[.!?。！？]*")
_WORD = re.compile(r"\w+")
_COMMON = these(TEXTS["uninformative"])
_SHORTEST = 4
"""The fewest letters of a content word. Shorter words are mostly grammar."""
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence with its speaker and its *source* words. A paraphrase may cite *more* than one source."""

    text: str
    source: Source
    more: tuple[Source, ...] = ()

    @property
    def sources(self) -> tuple[Source, ...]:
        """All source words, newest first."""
        return (self.source, *self.more)


def sentences(message: StoredEpisode) -> Iterator[Line]:
    """Return the sentences of a message, each as `speaker: sentence` with its white space collapsed."""
    speaker = " ".join((message.speaker or message.role).split())
    for found in islice(_SENTENCE.finditer(message.content), MOST_SENTENCES):
        words = found.group()[:SENTENCE_CHARACTERS].rstrip()
        source = Source(message.id, message.key, message.position, found.start(), found.start() + len(words))
        yield Line(f"{speaker}: {' '.join(words.split())}", source)


def quoted(previous: Sequence[Line], messages: Iterable[StoredEpisode]) -> list[Line]:
    """Return the lines of a summary, chosen from *previous* lines and *messages*, in the order they were said."""
    return best([*previous, *(line for message in messages for line in sentences(message))])


def best(lines: Iterable[Line], *, most: int = SENTENCES) -> list[Line]:
    """Return the most informative lines, up to the number *most*, in the order in which they were said.

    Of repeated lines, only the last is returned.
    """
    last = {normal(line.text): line for line in sorted(lines, key=_position)}
    ranked = sorted(last.values(), key=lambda line: (informativeness(line.text), *_position(line)), reverse=True)
    return sorted(ranked[:most], key=_position)


def informativeness(line: str) -> float:
    """Return the informativeness of a line, which is its number of distinct words relative to its length.

    Names and numbers count twice. The name of a quoted speaker does not count; a paraphrase has no such name.

    >>> informativeness("user: I moved to Oslo in 2024.") > informativeness("user: Well, that is nice to hear.")
    True
    """
    sentence = line.partition(": ")[2] or line
    words = _WORD.findall(sentence)
    if not words:
        return 0.0
    content_words = {word.casefold() for word in words if len(word) >= _SHORTEST} - _COMMON
    named = {word for word in words[1:] if word[0].isupper() and len(word) > 1} | {w for w in words if w[0].isdigit()}
    value = (len(content_words) + 2 * len(named)) / math.sqrt(len(words))
    return round(value * (QUESTION if sentence.endswith(("?", "？")) else 1), 6)


def subject(session: str) -> str:
    """Return the subject of a session's summary, which is the escaped name of the session.

    Subjects are compared case-insensitively, but sessions are not. Therefore capital letters are escaped too.

    >>> subject("s1"), subject("S1"), subject("a b%")
    ('session/s1', 'session/%531', 'session/a%20b%25')
    """
    return "session/" + "".join(
        chr(byte) if chr(byte) in _PLAIN else f"%{byte:02x}" for byte in session.encode("utf-8")
    )


def _position(line: Line) -> tuple[int, int]:
    return line.source.position, line.source.start


def join(lines: Sequence[Line]) -> str:
    """Return the text of a summary, with one line per sentence."""
    return "\n".join(line.text for line in lines)


def split(text: str, sources: Sequence[Source]) -> list[Line]:
    """Return the lines of a summary's text, each with its source. *sources* are in the order of the lines.

    A summary that was written by hand may have fewer or more sources than lines. Then every line gets the last source.
    """
    lines = text.split("\n")
    resting = sources if len(sources) == len(lines) else [sources[-1]] * len(lines)
    return [Line(line, source) for line, source in zip(lines, resting, strict=True)]


def fitting(lines: Sequence[Line], occurred: Mapping[uuid.UUID, datetime], *, most: int) -> list[SummaryLine]:
    """Return the most informative *lines*, with dates, in the order in which they were said, up to *most* tokens in
    all.

    A line that does not fit is skipped, and shorter lines follow. *occurred* gives the time of each episode. A line of
    any other episode is left out, because its source is gone.
    """
    there = [line for line in lines if all(source.episode in occurred for source in line.sources)]
    dated_lines = [dated(line, occurred[line.source.episode]) for line in there]
    chosen, room = set[int](), most
    for number in sorted(range(len(dated_lines)), key=lambda number: (-informativeness(there[number].text), number)):
        cost = tokens(dated_lines[number].text + "\n")
        if cost <= room:
            chosen.add(number)
            room -= cost
    return [dated_lines[number] for number in sorted(chosen)]


def dated(line: Line, occurred: datetime) -> SummaryLine:
    """Return *line* as a line of a summary, with the date by the speaker's own clock at the start."""
    return SummaryLine(f"{occurred.date().isoformat()} {line.text}", occurred, line.source, line.more)


def by_model(model: str) -> str:
    """Return the author label for a *model*, with the model's name without protocol and settings.

    >>> by_model("openai:small?temperature=0")
    'model small'
    """
    return f"model {model.partition(':')[2].partition('?')[0] or model}"
