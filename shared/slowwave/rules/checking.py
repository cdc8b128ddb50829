"""A pack's cases, run: told these things, do we believe what its author expects?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from slowwave.core.fold import Fold, Version
from slowwave.core.predicates import Predicates
from slowwave.ports import Extractor
from slowwave.rules.case import Case


@dataclass(frozen=True, slots=True)
class FailedCase:
    """A case whose end is not what its author expects, *at* the end or at an instant of its own.

    Where it came to no end at all, *broke* says why.
    """

    it: str
    at: datetime | None
    expected: tuple[str, ...]
    got: tuple[str, ...]
    rules: Mapping[str, str]
    """The rule behind each of those it *got*."""
    broke: str = ""

    def __str__(self) -> str:
        if self.broke:
            return f"{self.it}: {self.broke}"
        missing = [f"missing: {belief}" for belief in self.expected if belief not in self.got]
        strange = [belief for belief in self.got if belief not in self.expected]
        extra = [f"not expected: {belief} (by {self.rules[belief]})" for belief in strange]
        when = f", at {self.at.isoformat()}" if self.at else ""
        return f"{self.it}{when}: " + "; ".join([*missing, *extra] or ["the same belief is held twice"])


def check_cases(extractor: Extractor, cases: Iterable[Case], predicates: Predicates) -> list[FailedCase]:
    """Return those of *cases* that fail; what contradicts what is said by *predicates*."""
    return [failed for case in cases for failed in _check(extractor, case, predicates)]


def _check(extractor: Extractor, case: Case, predicates: Predicates) -> list[FailedCase]:
    episodes = case.episodes
    fold = Fold(predicates=predicates)
    for claim in extractor.propose(episodes):
        fold.decide(predicates.canonical(claim))
    end = max(episode.occurred for episode in episodes)
    moments = [(None, end, case.believe), *((at, at, believe) for at, believe in case.believed_at.items())]
    failed = []
    for named, at, believe in moments:
        held = _beliefs(fold, at)
        expected, got = tuple(sorted(believe)), tuple(belief for belief, _ in held)
        if expected != got:
            failed.append(FailedCase(case.it, named, expected, got, dict(held)))
    return failed


def _beliefs(fold: Fold, at: datetime) -> list[tuple[str, str]]:
    """Return the beliefs at the end, each with the rule behind it."""
    return sorted((_told(held), held.rule) for held in fold.believed(at))


def _told(held: Version) -> str:
    """Return a belief as cases write it: a statement by its text, else subject, predicate and object."""
    return held.text if held.form == "statement" else f"{held.subject} {held.predicate} {held.object}"
