"""The sentences of an episode in which somebody may tell of themselves: no questions, no quotations, no captions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from slowwave.domain.episode import StoredEpisode
from slowwave.rules import reading
from slowwave.rules.reading import Sentence
from slowwave.rules.statements.apposition import behind
from slowwave.rules.statements.clauses import asks, stripped
from slowwave.rules.statements.meant import sentences
from slowwave.rules.statements.persons import Person
from slowwave.rules.statements.words import Word, words_of

_DASHES = ("-", "\N{EN DASH}", "\N{EM DASH}")
_CLAUSE = re.compile(
    r"\s*(?P<what>(?:even though|although|though|because|'cause|since|while|especially|including) [^.!?;:()\"]{3,90})"
    r"(?=[.,;!?(]|$)",
    re.IGNORECASE,
)
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
    quoted, taken = reading.Quotations(text), 0
    for sentence in sentences(text):
        words, whole = words_of(sentence.text), sentence.text
        if sentence.start + len(whole.rstrip()) <= taken:
            continue
        if what := behind(words, sentence) or _goes_on(sentence):
            whole += sentence.after[: sentence.after.find(what) + len(what)]
            words, taken = words_of(whole), sentence.start + len(whole)
        if quoted.hold(sentence.start) or quoted.hold(sentence.start + 1) or asks(words):
            continue
        if words := _opened(words):
            person = Person(" ".join((sentence.speaker or episode.speaker or "").split()))
            begin = words[0].start
            moved = [Word(one.text, one.low, one.start - begin, one.end - begin) for one in words] if begin else words
            yield Spoken(person, whole[begin:], moved, sentence.start + begin)


def _goes_on(sentence: Sentence) -> str:
    """Return the clause behind the dash that ends *sentence*, where it depends on it; "" where there is none."""
    found = _CLAUSE.match(sentence.after) if sentence.text.rstrip().endswith(_DASHES) else None
    return found["what"] if found else ""


def _opened(words: list[Word]) -> list[Word]:
    """Return a sentence without what only opens it; a `hopefully` does more, and a `besides` before a noun."""
    if words[:1] and words[0].low == "hopefully":
        return words
    left = list(stripped(words))
    at = len(words) - len(left)
    return words[at - 1 :] if at and words[at - 1].low == "besides" and left and left[0].low != "," else left
