"""A test run of a pack's cases: do these messages lead to the beliefs that its author expects?"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from slowwave.core.fold import Fold, Version
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Form
from slowwave.ports import Extractor
from slowwave.rules.case import Case

Forms = Collection[Form]


@dataclass(frozen=True, slots=True)
class FailedCase:
    """A case whose beliefs differ from the expected ones, at the end or *at* a given time.

    If the run failed, *broke* says why.
    """

    it: str
    at: datetime | None
    expected: tuple[str, ...]
    got: tuple[str, ...]
    rules: Mapping[str, str]
    """The rule behind each belief in *got*."""
    broke: str = ""

    def __str__(self) -> str:
        if self.broke:
            return f"{self.it}: {self.broke}"
        missing = [f"missing: {belief}" for belief in self.expected if belief not in self.got]
        strange = [belief for belief in self.got if belief not in self.expected]
        extra = [f"not expected: {belief} (by {self.rules[belief]})" for belief in strange]
        when = f", at {self.at.isoformat()}" if self.at else ""
        return f"{self.it}{when}: " + "; ".join([*missing, *extra] or ["the same belief is held twice"])


def check_cases(
    extractor: Extractor, cases: Iterable[Case], predicates: Predicates, *, typed: bool = False
) -> list[FailedCase]:
    """Return those of *cases* that fail; *predicates* say what contradicts what.

    For a pack of *typed* facts, statements are checked only if a case lists them.
    """
    return [failed for case in cases for failed in _check(extractor, case, predicates, typed=typed)]


def _check(extractor: Extractor, case: Case, predicates: Predicates, *, typed: bool) -> list[FailedCase]:
    episodes = case.episodes
    fold = Fold(predicates=predicates)
    for claim in extractor.propose(episodes):
        fold.decide(predicates.canonical(claim))
    end = max(episode.occurred for episode in episodes)
    typed = typed or case.statements is not None
    believe: Forms = {"typed"} if typed else {"typed", "statement"}
    moments: list[tuple[datetime | None, datetime, Forms, list[str]]] = [(None, end, believe, case.believe)]
    moments += [(at, at, believe, then) for at, then in case.believed_at.items()]
    moments += [] if case.statements is None else [(None, end, {"statement"}, case.statements)]
    failed = []
    for named, at, forms, believed in moments:
        held = _beliefs(fold, at, forms)
        expected, got = tuple(sorted(believed)), tuple(belief for belief, _ in held)
        if expected != got:
            failed.append(FailedCase(case.it, named, expected, got, dict(held)))
    return failed


def _beliefs(fold: Fold, at: datetime, forms: Forms) -> list[tuple[str, str]]:
    """Return the beliefs of these *forms* at the end, each with its rule."""
    return sorted((_expected_form(held), held.rule) for held in fold.believed(at) if held.form in forms)


def _expected_form(version: Version) -> str:
    """Return a belief as cases write it: a statement by its text, else subject, predicate and object."""
    return version.text if version.form == "statement" else f"{version.subject} {version.predicate} {version.object}"
