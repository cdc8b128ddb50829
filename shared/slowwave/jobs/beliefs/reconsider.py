"""Reconsideration of what is believed: what was learned lately is laid beside the beliefs nearest to it.

What was told apart, or planned in one batch, meets here: a belief that news ends, one that is denied now, and one that
was said before in other words.
"""

import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.reconsidering import Kind, Meaning, Verdict, verdicts
from slowwave.core.fold import Decision, Fold, Version
from slowwave.core.predicates import Predicates
from slowwave.core.withdrawal import withdraw
from slowwave.domain.claim import Claim, Source
from slowwave.domain.job_table import RECONSIDER
from slowwave.domain.run import Run
from slowwave.ports import Plan, RunStore

REASONS: Mapping[Kind, str] = {
    "ended": "no longer so by what was told later",
    "contradicted": "denied by what was told later",
    "same": "it says what was held before in other words",
    "unsure": "news that could mean any of several beliefs",
}
"""Why a verdict changes what is believed; the words of both sides are cited."""


@dataclass(frozen=True, slots=True)
class Learned:
    """The *news* since the last run, the open *beliefs* that share words with them, and how near they are in *meaning*.

    *common* words are those of too many beliefs to be looked up. *sources* are the words that each fact rests on.
    """

    news: Sequence[Version] = ()
    beliefs: Sequence[Version] = ()
    meaning: Meaning = field(default_factory=dict)
    common: Collection[str] = ()
    sources: Mapping[uuid.UUID, Sequence[Source]] = field(default_factory=dict)


class LearnedStore(Protocol):
    """The news of a scope as the database keeps them. Each method is one transaction and raises `Unavailable`."""

    def learned(self, run: Run, matters: Matters) -> Learned:
        """Return what packs have learned since the last such run, beside the beliefs that share words with it."""

    def done(self, run: Run, deltas: Collection[uuid.UUID]) -> Collection[uuid.UUID]:
        """Return which of these deltas the ledger has."""


@dataclass(frozen=True, slots=True)
class Reconsider:
    """A `Job` of a scope, by rules alone. Safe to repeat: what was decided once is left as it is."""

    store: LearnedStore
    predicates: Predicates

    def think(self, run: Run, store: RunStore) -> Plan:
        """Return the ends, denials and repetitions found; counts the `news` that were looked at."""
        matters = Matters(self.predicates)
        found = self.store.learned(run, matters)
        judged = list(
            verdicts(found.news, found.beliefs, found.meaning, matters, common=found.common)
        )  # fmt: skip
        if not judged:
            return Plan(counts={"news": len(found.news)} if found.news else {})
        claims = {verdict: _claim(verdict, found.sources) for verdict in judged}
        fold = replace(store.held(run, list(claims.values())), predicates=self.predicates)
        done = self.store.done(run, [_id(run, verdict) for verdict in judged])
        decisions = [
            decision
            for verdict, claim in claims.items()
            if _id(run, verdict) not in done
            for decision in _decided(run, fold, verdict, claim, found.sources)
        ]
        return Plan(decisions=decisions, counts={"news": len(found.news)})

    def witness(self, run: Run) -> bool:  # noqa: ARG002  # a job answers for every run alike
        """Return True: no episode is read, so none is to blame."""
        return True


def _id(run: Run, verdict: Verdict) -> uuid.UUID:
    """Return the id of the decision about a verdict: of one pair of beliefs always the same."""
    return uuid.uuid5(run.scope, f"{RECONSIDER}/{verdict.kind}/{verdict.beliefs[0].fact}/{verdict.news.fact}")


def _claim(verdict: Verdict, sources: Mapping[uuid.UUID, Sequence[Source]]) -> Claim:
    """Return a verdict as a claim about the belief it means: an end from when the news hold, or that it was said again.

    It rests on the words of the news, and cites those of the belief beside them.
    """
    news, belief = verdict.news, verdict.beliefs[0]
    first, *more = sources[news.fact]
    beside = [] if verdict.kind == "same" else sources[belief.fact]
    return Claim(
        subject=belief.subject, predicate=belief.predicate, object=belief.object,
        mode="assert" if verdict.kind == "same" else "end", certainty="explicit", confidence=news.confidence,
        valid_from=news.valid.start, valid_to=None, single_valued=belief.key[2] is None,
        rule=f"slowwave.{RECONSIDER}/{verdict.kind}@1", session=news.session, source=first, ordinal=0,
        more_sources=(*more, *beside), form=belief.form, text=belief.text, tense=belief.tense,
    )  # fmt: skip


def _decided(
    run: Run, fold: Fold, verdict: Verdict, claim: Claim, sources: Mapping[uuid.UUID, Sequence[Source]]
) -> Iterator[Decision]:
    """Give the decisions that a verdict comes to: none where the belief does not hold any more."""
    id_, reason = _id(run, verdict), REASONS[verdict.kind]
    fold.derive = lambda _claim, number: uuid.uuid5(id_, str(number)) if number else id_
    if verdict.kind == "unsure":
        yield fold.ask(claim, reason, verdict.beliefs)
        return
    decided = fold.weigh(claim)
    if [decision.about for decision in decided] != [verdict.beliefs[0].fact]:
        return
    (decision,) = decided
    fold.take(decision)
    yield replace(decision, reason=reason)
    if verdict.kind == "same":
        yield withdraw(
            [version for version in fold.held.get(verdict.news.key, ()) if version.fact == verdict.news.fact]
            or [verdict.news],
            id=uuid.uuid5(id_, "withdrawn"), rule=claim.rule, reason=reason, at=verdict.news.valid.start,
            sources=sources[verdict.news.fact], fingerprint=fold.fingerprint,
        )  # fmt: skip
