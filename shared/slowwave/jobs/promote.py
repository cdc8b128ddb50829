"""Promotion: proven facts of a project channel are copied to `_global`; copies of facts that are no longer proven are
revoked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from slowwave.core.policy import Policies, Policy
from slowwave.core.promotion import Promotion, Settlement, Verdict, judge, promote, promoting, withdrawals
from slowwave.domain.job_table import PROMOTE, pack_of
from slowwave.domain.run import Run
from slowwave.jobs.run import JobWithoutCases
from slowwave.ports import IntentRequest, Plan
from slowwave.store.promotion import DuePromotions, PostgresPromotions
from slowwave.store.runs.runs import PostgresRuns

MOST = 500
"""The most candidates that one run reviews. The next run continues with the other candidates."""


@dataclass(frozen=True, slots=True)
class Promote(JobWithoutCases):
    """A `Job` of an agent's channel `_global`, which copies proven facts from the agent's project channels to
    `_global`.

    The job reads the channels without their leases. Each write checks that the promoted fact is still believed.
    """

    promotions: PostgresPromotions
    policies: Policies

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Return the promotions that are made, confirmed and revoked, and the reviewed candidates."""
        policy = self.policies.of(run.tenant)
        found = self.promotions.due(run, most=MOST)
        rule, terms = f"{PROMOTE}/{policy.names['promotion']}", terms_of(policy)
        ready = [candidate for candidate in found.candidates if candidate.evidence.meets(policy.promotion)]
        ready.sort(key=lambda candidate: (candidate.valid.start, candidate.scope, candidate.fact))
        believed = store.fold(run, [candidate.claim(rule) for candidate in ready])

        verdicts = [judge(review, policy.promotion, terms) for review in found.reviews]
        deletes = withdrawals(verdicts, target=run.scope, rule=rule, at=found.now, fingerprint=believed.fingerprint)
        fold = promoting(run.scope, believed, without=[v for decision in deletes for v in decision.closes])
        decided = [
            promote(fold, each, rule=rule, reason=f"prominent in {each.channel}: {each.evidence}", policy=terms,
                    now=found.now)
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
