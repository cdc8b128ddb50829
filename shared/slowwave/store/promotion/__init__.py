"""Promotions of facts, by a run or by hand: candidates, reviews, and the rows of promotions."""

import json
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping

from slowwave.core.policy import Thresholds
from slowwave.core.promotion import (
    NAMESPACE,
    Candidate,
    Evidence,
    Promotion,
    QueuedReview,
    Review,
    Settlement,
    Verdict,
    promote,
    promoting,
)
from slowwave.core.time_spans import BEGINNING, END, Span
from slowwave.domain.claim import Source
from slowwave.domain.job_table import PROMOTE
from slowwave.domain.run import Run
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.errors import Conflict, FactConflictError, Incorrect, NotFound
from slowwave.store import transaction
from slowwave.store.access.stored_words import note
from slowwave.store.audit import log as audit
from slowwave.store.beliefs import affected_facts
from slowwave.store.beliefs.apply import apply_decisions
from slowwave.store.beliefs.facts import source
from slowwave.store.database import Repository
from slowwave.store.encryption.columns import POLICY_KEYS
from slowwave.store.encryption.tenant_keys import encrypted_json
from slowwave.store.memory_state.standing import Key
from slowwave.store.runs import settling
from slowwave.store.statements import execute
from slowwave.store.work_queue import leases

_SAME = (
    "scope", "channel", "fact", "version", "subject", "predicate", "object", "form", "text", "tense"
)  # fmt: skip
RULE = f"{PROMOTE}/by_hand"


@dataclass(frozen=True, slots=True)
class DuePromotions:
    """The candidates and reviews due for one agent and user at the database's time *now*.

    *candidates* are the facts among *queued* that are believed and valid now, and not promoted yet.
    """

    now: datetime
    queued: Sequence[QueuedReview]
    candidates: Sequence[Candidate]
    reviews: Sequence[Review]


class PostgresPromotions(Repository):
    """The promotion queue."""

    def due(self, run: Run, *, most: int) -> DuePromotions:
        """Return the candidates and reviews due for the run's `_global` scope, at most *most* of each, oldest first."""
        with self._database.tenant(run.tenant) as connection:
            return _due(connection, run.scope, most)


def _due(connection: Connection, target: uuid.UUID, most: int) -> DuePromotions:
    now: datetime = transaction.now(connection)
    what = {"target": target, "now": now, "most": most}
    looks = execute(connection, "promotion/looks", **what).mappings().all()
    reviews = execute(connection, "promotion/reviews", **what).mappings().all()
    keys = [(row["scope"], row["memory"]) for row in looks]
    sources = [(row["source_scope"], row["source_fact"]) for row in reviews]

    found, promoted = candidates(connection, target, [*keys, *sources], now)
    begins = _begins(connection, [key for key in keys if key not in found], now)
    return DuePromotions(
        now,
        [QueuedReview(**row, again=begins.get((row["scope"], row["memory"]))) for row in looks],
        [found[key] for key in keys if key in found and key not in promoted],
        [_review(connection, target, row, found) for row in reviews],
    )


def candidates(
    connection: Connection, target: uuid.UUID, keys: Collection[Key], now: datetime
) -> tuple[dict[Key, Candidate], dict[Key, uuid.UUID]]:
    """Return the facts among *keys* that are believed and valid *now*, and the promoted fact of each key that has one.

    Only the channels of one agent and user are searched: those of the scope *target*.
    """
    rows = execute(connection, "promotion/candidates", target=target, now=now, **_columns(keys)).mappings().all()
    return (
        {(row["scope"], row["fact"]): _candidate(row) for row in rows},
        {(row["scope"], row["fact"]): row["promoted"] for row in rows if row["promoted"]},
    )


def _candidate(row: RowMapping) -> Candidate:
    same = {name: row[name] for name in _SAME}
    return Candidate(
        **same,
        single_valued=row["single_valued"],
        valid=Span(row["valid_from"] or BEGINNING, row["valid_to"] or END),
        certainty=row["certainty"],
        evidence=Evidence(row["confidence"], row["accesses"], row["conversations"]),
        sources=_sources(row["sources"]),
        confirmed_at=row["said"],
        earlier=row["earlier"],
        by_hand=row["by_hand"],
    )


def _begins(connection: Connection, keys: Collection[Key], now: datetime) -> dict[Key, datetime]:
    if not keys:
        return {}
    rows = execute(connection, "promotion/begins", now=now, **_columns(keys))
    return {(row.scope, row.fact): row.begins for row in rows}


def _review(connection: Connection, target: uuid.UUID, row: RowMapping, found: Mapping[Key, Candidate]) -> Review:
    policy = row["policy"]
    return Review(
        promotion=row["promotion"],
        fact=row["fact"],
        due=row["due"],
        taken=row["taken"],
        beside=frozenset(row["beside"]),
        waived="thresholds" not in policy,
        evidence=Evidence(policy["confidence"], policy["accesses"], policy["conversations"]),
        source=found.get((row["source_scope"], row["source_fact"])),
        versions=affected_facts.open_of_facts(connection, target, [row["fact"]]).get(row["fact"], []),
        sources=_sources(row["sources"]),
    )


def _sources(rows: Sequence[Sequence[Any]] | None) -> list[Source]:
    return [source(*each) for each in rows or ()]


def _columns(keys: Collection[Key]) -> dict[str, list[uuid.UUID]]:
    return {"scopes": [scope for scope, _ in keys], "facts": [fact for _, fact in keys]}


@settling.write.register
def _settled(effect: Settlement, connection: Connection, run: Run) -> None:
    settle(connection, run.scope, effect, run=run.run)


def settle(connection: Connection, target: uuid.UUID, effect: Settlement, *, run: int | None) -> None:
    """Write the new and the revoked promotions in *effect* to the scope *target*, and mark the candidates as reviewed.

    Raises `Conflict` if the source of a promotion is no longer believed.
    """
    if effect.made:
        _promote(connection, target, effect.made, run)
    if effect.verdicts:
        _judge(connection, effect.verdicts)
    if effect.queued:
        execute(
            connection,
            "promotion/looked",
            scopes=[one.scope for one in effect.queued],
            memories=[one.memory for one in effect.queued],
            dues=[one.due for one in effect.queued],
            accesses=[one.accesses for one in effect.queued],
            agains=[one.again for one in effect.queued],
        )


def _promote(connection: Connection, target: uuid.UUID, made: Sequence[Promotion], run: int | None) -> None:
    versions = [promotion.candidate.version for promotion in made]
    still = execute(connection, "promotion/sources", versions=versions).scalar_one()
    if still != len(versions):
        raise Conflict("a fact to be promoted was closed meanwhile", hint="read again and decide")
    execute(
        connection,
        "promotion/write",
        target=target,
        facts=[promotion.fact for promotion in made],
        source_scopes=[promotion.candidate.scope for promotion in made],
        source_facts=[promotion.candidate.fact for promotion in made],
        confirmed=[promotion.confirmed for promotion in made],
        policies=encrypted_json(connection, [json.dumps(promotion.policy) for promotion in made], POLICY_KEYS),
    )
    for promotion in made:
        evidence = promotion.candidate.evidence
        channel, reason = promotion.candidate.channel, {"reason": promotion.reason}
        measures = audit.Promoted(channel, evidence.confidence, evidence.accesses, evidence.conversations)
        moved = {"scope": target, "affected": [promotion.fact], "promoted": measures}
        audit.log_write(connection, "promote", "semantic", run=run, detail=reason, **moved)


def _judge(connection: Connection, verdicts: Sequence[Verdict]) -> None:
    judged = execute(
        connection,
        "promotion/judged",
        promotions=[verdict.review.promotion for verdict in verdicts],
        seen=[verdict.review.due for verdict in verdicts],
        undone=[verdict.undone is not None for verdict in verdicts],
        again=[verdict.again for verdict in verdicts],
        policies=encrypted_json(
            connection, [json.dumps(one.policy) if one.policy else None for one in verdicts], POLICY_KEYS
        ),
    )
    if judged.rowcount != len(verdicts):
        raise Conflict("a promotion was undone meanwhile", hint="read again and decide")


def terms_changed(connection: Connection, thresholds: Thresholds) -> int:
    """Queue for review the promotions decided under thresholds other than *thresholds*, and the facts that qualify now.

    Returns the number of queued items.
    """
    terms = {"confidence": thresholds.confidence, "accesses": thresholds.accesses}
    found = execute(
        connection,
        "promotion/terms",
        **terms,
        thresholds=json.dumps({**terms, "conversations": thresholds.conversations}),
    ).scalar_one()
    assert isinstance(found, int)
    return found


def promote_by_hand(
    connection: Connection, fact: uuid.UUID, *, tenant: str, reason: str, scope: Scope | None = None
) -> uuid.UUID:
    """Promote *fact* to `_global`; return the id of the promoted fact in `_global`.

    Promoting a promoted fact changes nothing. Raises `NotFound` if the fact does not exist, or is not in *scope*.
    Raises `Incorrect` for a fact of `_global`. Raises `FactConflictError` if the fact is not believed and valid now, or
    cannot be believed in `_global`. Raises `Conflict` while a worker holds `_global`.
    """
    origin = _origin(connection, tenant, fact)
    if origin is None or (scope is not None and scope != origin):
        raise NotFound(f"there is no fact {fact} here", hint="`slowwave facts` lists the ids of what is believed")
    if origin.channel == GLOBAL_CHANNEL:
        raise Incorrect("this fact is known everywhere already", hint="promote facts of a project channel")
    target = Scope(origin.tenant, origin.user, origin.agent)
    after = leases.take_by_hand(connection, target)
    now = transaction.now(connection)

    key = (origin.id, fact)
    found, promoted = candidates(connection, target.id, [key], now)
    if key in promoted:
        return promoted[key]
    if key not in found:
        raise FactConflictError(f"the fact {fact} is no longer believed, or not valid now", hint="read the facts again")
    candidate = found[key]
    fold = promoting(target.id, affected_facts.fold_over(connection, target.id, NAMESPACE, [candidate.claim(RULE)]))
    text = f"promoted from {candidate.channel} by hand: {reason}"
    decided = promote(fold, candidate, rule=RULE, reason=text, policy={"by_hand": reason}, now=now)
    if decided is None:
        raise FactConflictError(
            "a newer fact is believed everywhere, or this one was forgotten there", hint="look at the facts of _global"
        )

    decision, promotion = decided
    note(connection, text, candidate.text)
    apply_decisions(
        connection, target.id, [decision], run=None, pack=NAMESPACE, after=after, vectors={}, space=0
    )  # fmt: skip
    settle(connection, target.id, Settlement([promotion]), run=None)
    return promotion.fact


def _origin(connection: Connection, tenant: str, fact: uuid.UUID) -> Scope | None:
    """Return the scope of a fact. Served by facts_of_delta and scope_heads_pkey."""
    row = connection.exec_driver_sql(
        "SELECT h.user_id, h.agent, h.channel FROM facts f JOIN scope_heads h USING (scope) WHERE f.fact = %(fact)s "
        "LIMIT 1",
        {"fact": fact},
    ).one_or_none()
    return None if row is None else Scope(tenant, row.user_id, row.agent, row.channel)
