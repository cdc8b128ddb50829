"""Requests to forget: the last statement, or all statements with the same words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from slowwave.domain.episode import StoredEpisode
from slowwave.rules import sentence_splitting
from slowwave.rules.statements.clauses import clauses
from slowwave.rules.statements.self_reference import self_reference
from slowwave.rules.statements.sentences import Statement, statement
from slowwave.rules.statements.third_person import Person
from slowwave.rules.statements.words import words_of

_WISH = re.compile(
    r"(?:please |ok |okay |no, )?(?:forget|delete|erase|(?:don't|do not) (?:remember|keep))(?: about)? "
    r"(?:(?P<back>(?:that|it|this|what i(?: just)? (?:said|told you))[.! ]*$)|(?:that )?(?P<what>.+))",
    re.IGNORECASE,
)
_WISHED = ("forget", "delete", "erase", "remember", "keep")
"""Every request contains one of these words."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A request to forget: *what* was said, or else the last statement."""

    subject: str
    what: Statement | None
    start: int
    end: int


def wishes(episode: StoredEpisode) -> Iterator[Wish]:
    """Return the requests of *episode* to forget something, in word order."""
    low = episode.content.lower()
    if not any(word in low for word in _WISHED):
        return
    for sentence in sentence_splitting.sentences(sentence_splitting.plain(episode.content), frozenset()):
        found = _WISH.match(sentence.text)
        if found is None:
            continue
        person = Person(" ".join((sentence.speaker or episode.speaker or "").split()))
        start, end = sentence.start + found.start(), sentence.start + found.end()
        if found["back"]:
            yield Wish(person.subject, None, start, end)
            continue
        text, place = found["what"], sentence.start + found.start("what")
        words = words_of(text)
        head = next(iter(clauses(words)), None)
        kind = self_reference(head) if head else None
        what = statement(words, kind, person, episode.local, text, place) if kind else None
        if what:
            yield Wish(person.subject, what, start, end)
