"""The nightly jobs on the lifecycle of memories: promotion, the sweep of tiers, decay, and retention."""

import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from slowwave.core.policy import Policies, Policy
from slowwave.core.promotion import Promotion, Settlement, Verdict, judge, promote, promoting, withdrawals
from slowwave.core.summaries.eviction_summary import Victim, text_of
from slowwave.domain.job_table import PROMOTE, pack_of
from slowwave.domain.run import Run
from slowwave.errors import Conflict, Fenced
from slowwave.jobs.run import JobWithoutCases
from slowwave.ports import Embedder, IntentRequest, Plan, Vectors
from slowwave.store.promotion import DuePromotions, PostgresPromotions
from slowwave.store.retention.archive import PostgresArchive
from slowwave.store.retention.expired import FIRST, Batch, Cursor
from slowwave.store.runs.runs import PostgresRuns
from slowwave.store.tiers.decay import PostgresDecay
from slowwave.store.tiers.sweep import PostgresSweep, ScopeTier

MOST = 500
"""The maximum number of candidates that one run reviews. The next run continues with the other candidates."""


@dataclass(frozen=True, slots=True)
class Promote(JobWithoutCases):
    """A `Job` of an agent's channel `_global`, which copies proven facts from the agent's project channels to
    `_global`.

    Copies of facts that are no longer proven are revoked. The job reads the channels without their leases. Each write
    checks that the promoted fact is still believed.
    """

    promotions: PostgresPromotions
    policies: Policies

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Return the promotions that are made, confirmed and revoked, and the reviewed candidates."""
        policy = self.policies.of(run.tenant)
        found = self.promotions.due(run, most=MOST)
        rule, terms = f"{PROMOTE}/{policy.names['promotion']}", terms_of(policy)
        ready = [candidate for candidate in found.candidates if candidate.ready(policy.promotion)]
        ready.sort(key=lambda candidate: (candidate.valid.start, candidate.scope, candidate.fact))
        believed = store.fold(run, [candidate.claim(rule) for candidate in ready])

        verdicts = [judge(review, policy.promotion, terms) for review in found.reviews]
        deletes = withdrawals(verdicts, target=run.scope, rule=rule, at=found.now, fingerprint=believed.fingerprint)
        fold = promoting(run.scope, believed, without=[v for decision in deletes for v in decision.closes])
        decided = [
            promote(fold, each, rule=rule, reason=f"prominent in {each.channel}: {each.evidence}",
                    policy=each.by_hand or terms, now=found.now)
            for each in ready
        ]  # fmt: skip

        made = [each for each in decided if each is not None]
        return Plan(
            decisions=[*deletes, *(decision for decision, _ in made)],
            effects=[Settlement([promotion for _, promotion in made], verdicts, found.queued), *_rest(found)],
            counts=_counts(found, [promotion for _, promotion in made], verdicts),
        )


def terms_of(policy: Policy) -> dict[str, Any]:
    """Return the terms of a promotion as JSON values: the preset and the thresholds."""
    return {"preset": policy.names["promotion"], "thresholds": asdict(policy.promotion)}


def _rest(found: DuePromotions) -> list[IntentRequest]:
    full = max(len(found.queued), len(found.reviews)) >= MOST
    return [IntentRequest(PROMOTE, pack_of(PROMOTE), at_once=True)] if full else []


def _counts(found: DuePromotions, made: Sequence[Promotion], verdicts: Sequence[Verdict]) -> Mapping[str, int]:
    return {
        "looked": len(found.queued),
        "promoted": sum(not promotion.confirmed for promotion in made),
        "confirmed": sum(promotion.confirmed for promotion in made),
        "undone": sum(verdict.undone is not None for verdict in verdicts),
    }


TRIES = 3
"""The maximum number of attempts of a run to choose memories to evict, if chosen memories are used meanwhile.

After these attempts, the next run evicts.
"""


@dataclass(frozen=True, slots=True)
class Sweep(JobWithoutCases):
    """A `Job` that sweeps one slice (a sixteenth of a tenant's scopes).

    A memory is due when it may have to move down, or when it has entered a tier with a capacity. A memory moves at most
    one tier per run. Evicted memories move one tier down, and recall still finds them. If the policy demands summaries,
    an eviction first writes one belief that names all memories to evict. The job can be repeated and killed, because
    finished work is no longer due.
    """

    store: PostgresSweep
    embedder: Embedder

    def think(self, run: Run, store: PostgresRuns) -> Plan:  # noqa: ARG002  # its own store is enough
        """Move the due memories, then evict from the tiers over capacity.

        The counts are: memories that were checked, `raised`, `lowered`, `archived` or `evicted`; overviews; and full
        tiers that were left out because a worker holds the scope's lease.
        """
        now, after, counts = self.store.now(run), None, Counter[str]()
        full: list[tuple[ScopeTier, uuid.UUID]] = []
        while True:
            swept = self.store.sweep(run, after, now=now)
            counts += Counter({"looked": swept.looked, **swept.moves})
            full += swept.full.items()
            after = swept.last
            if after is None:
                break
        left: set[ScopeTier] = set()
        for scope_tier in dict(full):
            made = self._evict(run, *scope_tier, now)
            left |= {scope_tier} if made["left"] else set()
            counts += made
        self.store.mark_swept(run, [pair for pair in full if pair[0] not in left], now=now)
        return Plan(counts=counts)

    def _evict(self, run: Run, scope: uuid.UUID, tier: str, now: datetime) -> Counter[str]:
        for _ in range(TRIES):
            overflow = self.store.overflow(run, scope, tier, now=now)
            if overflow is None:
                return Counter()
            vector = self._vector(overflow.summed_up)
            try:
                if not self.store.evict(run, overflow, vector, now=now):
                    break
            except Fenced:
                raise
            except Conflict:
                continue
            return Counter(evicted=len(overflow.victims), summarised=int(bool(overflow.summed_up)))
        return Counter(left=1)

    def _vector(self, victims: Sequence[Victim]) -> Vectors | None:
        if not victims:
            return None
        vector = self.embedder.embed([text_of(victims)])[0]
        return vector if vector.any() else None


@dataclass(frozen=True, slots=True)
class Decay(JobWithoutCases):
    """A `Job` for the decay in one slice (a sixteenth of a tenant's scopes).

    The job recomputes strengths when they may have fallen below `forget_below`, and withdraws faded facts. Strength is
    computed in closed form, so the result does not depend on how often or how late the job runs. Faded facts are
    withdrawn scope by scope. If a worker holds the lease of a scope, the next run withdraws the faded facts of that
    scope. The job can be repeated and killed, because finished work is not due again.
    """

    strengths: PostgresDecay

    def think(self, run: Run, store: PostgresRuns) -> Plan:  # noqa: ARG002  # its own store is enough
        """Recompute the due times of memories and withdraw faded facts; return the counts.

        The counts are: checked memories, memories with a new due time, memories whose strength fell too low, withdrawn
        beliefs, and scopes that were left out because a worker holds their lease.
        """
        now, after, counts = self.strengths.now(run), None, Counter[str]()
        while True:
            faded = self.strengths.refresh(run, after, now=now)
            counts += Counter(looked=faded.looked, refreshed=faded.refreshed, fell=faded.fell)
            for scope, facts in groupby(faded.forgotten, key=lambda pair: pair[0]):
                fell = self.strengths.forget(run, scope, [fact for _, fact in facts], now=now)
                counts += Counter(fell=fell or 0, withdrawn=fell or 0, left=fell is None)
            after = faded.last
            if after is None:
                return Plan(counts=counts)


@dataclass(frozen=True, slots=True)
class Archive(JobWithoutCases):
    """A `Job` that archives conversations that nobody used for a long time, and expires memories after their retention.

    A run works on one slice of a tenant, one batch per transaction. The run's lease guards each transaction. Finished
    work is no longer due, so the next run continues where an interrupted run ended. First, conversations are archived.
    Then facts are dropped, because a fact protects its entity and the conversations that the fact cites. Last,
    unprotected conversations and entities are removed. `core/retention_periods.py` computes when each memory is due.
    """

    archives: PostgresArchive

    def think(self, run: Run, _store: PostgresRuns) -> Plan:
        """Return the counts: conversations `archived` and expired, facts `dropped`, scopes `left`, and entities
        tombstoned.

        A scope is left for a later run while a worker holds the scope.
        """
        counts: Counter[str] = Counter()
        while archived := self.archives.archive(run):
            counts["archived"] += archived
        counts += _all(self._drop, run)
        counts += _all(self.archives.expire, run)
        counts += _all(self.archives.tombstone, run)
        return Plan(counts=counts)

    def _drop(self, run: Run, after: Cursor) -> Batch:
        counts, expired = Counter[str](), self.archives.expired(run, after)
        for scope, facts in groupby(expired.facts, key=lambda pair: pair[0]):
            dropped = self.archives.drop(run, scope, [fact for _, fact in facts])
            counts += Counter(dropped=dropped or 0, left=dropped is None)
        return Batch(counts, expired.last)


def _all(step: Callable[[Run, Cursor], Batch], run: Run) -> Counter[str]:
    counts: Counter[str] = Counter()
    after: Cursor | None = FIRST
    while after is not None:
        batch = step(run, after)
        counts += batch.counts
        after = batch.last
    return counts
