"""The sentences of an episode in which somebody may tell of themselves: no questions, no quotations, no captions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from slowwave.domain.episode import StoredEpisode
from slowwave.rules import reading
from slowwave.rules.statements.clauses import asks, stripped
from slowwave.rules.statements.meant import sentences
from slowwave.rules.statements.persons import Person
from slowwave.rules.statements.words import Word, words_of

_BRACKETED = re.compile(r"\[[^\[\]\n]{0,300}\]")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A sentence without what only opens it: who says it, its text and its words, and where that begins."""

    person: Person
    text: str
    words: Sequence[Word]
    start: int


def spoken(episode: StoredEpisode) -> Iterator[Spoken]:
    """Return what *episode* says, sentence by sentence, as far as it may tell something."""
    text = _BRACKETED.sub(lambda found: "\n" * len(found[0]), reading.plain(episode.content))
    quoted = reading.Quotations(text)
    for sentence in sentences(text):
        words = words_of(sentence.text)
        if quoted.hold(sentence.start) or quoted.hold(sentence.start + 1) or asks(words):
            continue
        if words := _opened(words):
            person = Person(" ".join((sentence.speaker or episode.speaker or "").split()))
            begin = words[0].start
            moved = [Word(one.text, one.low, one.start - begin, one.end - begin) for one in words] if begin else words
            yield Spoken(person, sentence.text[begin:], moved, sentence.start + begin)


def _opened(words: list[Word]) -> list[Word]:
    """Return a sentence without what only opens it; a `besides` before a noun belongs to it."""
    left = list(stripped(words))
    at = len(words) - len(left)
    return words[at - 1 :] if at and words[at - 1].low == "besides" and left and left[0].low != "," else left
