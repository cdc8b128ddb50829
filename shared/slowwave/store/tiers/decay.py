"""Decay of memories: strengths are computed in SQL by the formula of `slowwave.core`, and faded facts are withdrawn."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, RowMapping

from slowwave.core.decay import DecayPolicy
from slowwave.domain.job_table import DECAY, SLICES
from slowwave.domain.run import Run
from slowwave.domain.standing import ARCHIVE
from slowwave.store import transaction
from slowwave.store.beliefs.manual_corrections import withdraw_facts
from slowwave.store.database import Database
from slowwave.store.memory_state import entities, standing
from slowwave.store.retention import legal_holds
from slowwave.store.statements import execute
from slowwave.store.transaction import policy_of
from slowwave.store.work_queue import leases
from slowwave.store.work_queue.leases import open_scope
from slowwave.store.work_queue.slices import slice_of

Cursor = tuple[datetime, uuid.UUID, uuid.UUID]
"""The cursor in the list of due memories: due time, scope, id."""
BATCH = 5_000
"""The number of memories per transaction of a decay run."""
_BY_ROW = "SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)"
"""The settings that make the planner find rows by ctid. Without them, each slice would scan the whole table."""
_NOT_ARCHIVED = ("semantic", "entity")
"""The kinds of memories that are not archived when they fade. A fact is withdrawn, and an entity is tombstoned."""
_BEGINNING: Cursor = (datetime(1, 1, 2, tzinfo=UTC), uuid.UUID(int=0), uuid.UUID(int=0))


@dataclass(frozen=True, slots=True)
class Faded:
    """The result of one batch of decay.

    *looked* and *refreshed* are numbers of memories; *forgotten* are facts to withdraw.

    *fell* is the number of other memories that fell below `forget_below`. *last* is the cursor at the end of the batch,
    None after the last batch.
    """

    looked: int
    refreshed: int
    fell: int
    forgotten: Sequence[tuple[uuid.UUID, uuid.UUID]]
    last: Cursor | None


class PostgresDecay:
    """The strengths of memories. Every method is one transaction guarded by the run's lease."""

    def __init__(self, database: Database, *, batch: int = BATCH) -> None:
        self._database = database
        self._batch = batch

    def now(self, run: Run) -> datetime:
        """Return the time that the whole run uses as now."""
        with self._database.tenant(run.tenant) as connection:
            return transaction.now(connection)

    def refresh(self, run: Run, after: Cursor | None, *, now: datetime) -> Faded:
        """Refresh the due times of the next memories that are due at *now*."""
        with self._database.tenant(run.tenant) as connection:
            leases.fence(connection, run)
            if policy_of(connection).retention.legal_hold:
                return Faded(0, 0, 0, [], None)
            row = _decay(connection, slice_of(connection, run), now=now, after=after, most=self._batch)
            fallen = list(zip(row["scopes"], row["memories"], row["kinds"], strict=True))
            if faded := [(scope, memory) for scope, memory, kind in fallen if kind == "entity"]:
                entities.mark_faded(connection, faded)
            _archive(connection, [(scope, one) for scope, one, kind in fallen if kind not in _NOT_ARCHIVED], now=now)
        facts = [(scope, memory) for scope, memory, kind in fallen if kind == "semantic"]
        last = _cursor(row["last"]) if row["looked"] == self._batch else None
        return Faded(row["looked"], row["refreshed"], len(fallen) - len(facts), facts, last)

    def forget(self, run: Run, scope: uuid.UUID, facts: Sequence[uuid.UUID], *, now: datetime) -> int | None:
        """Withdraw those of *facts* below `forget_below`; return their number, or None if *scope* is leased or
        on hold.
        """
        with self._database.tenant(run.tenant) as connection:
            leases.fence(connection, run)
            after = open_scope(connection, scope)
            if after is None or legal_holds.under_legal_hold(connection, [scope]):
                return None
            policy = policy_of(connection)
            keys = {(scope, fact) for fact in facts}
            memories = standing.lock(connection, [*keys, *entities.about(connection, keys)])
            fallen = [key[1] for key, memory in memories.items() if key in keys and policy.decay.forgotten(memory, now)]
            name, reason = policy.names.get(DECAY), "it faded below `forget_below`"
            return withdraw_facts(
                connection, scope, fallen,
                job=DECAY, policy=name, reason=reason, at=now, run=run.run, after=after,
            )  # fmt: skip

    def strengths(self, tenant: str) -> dict[uuid.UUID, float]:
        """Return the present strength of each memory of *tenant*, by id, in [0, 1].

        Strengths are computed and not stored.
        """
        found: dict[uuid.UUID, float] = {}
        for slice_ in range(SLICES):
            with self._database.tenant(tenant) as connection:
                row = _decay(connection, slice_, now=transaction.now(connection), everything=True, write=False)
            found |= {uuid.UUID(memory): strength for memory, strength in (row["strengths"] or {}).items()}
        return found

    def refresh_all(self, tenant: str) -> tuple[int, int]:
        """Compute all strengths of *tenant* again; return the number of memories, and of changed due times."""
        looked = refreshed = 0
        for slice_ in range(SLICES):
            with self._database.tenant(tenant) as connection:
                row = _decay(connection, slice_, now=transaction.now(connection), everything=True)
            looked, refreshed = looked + row["looked"], refreshed + row["refreshed"]
        return looked, refreshed


def rules_json(policy: DecayPolicy) -> str:
    """Return the decay rules as JSON for the statement, with durations in seconds."""

    def seconds(value: Any) -> Any:
        return value.total_seconds() if isinstance(value, timedelta) else value

    return json.dumps(
        [
            {"number": number, **{name: seconds(value) for name, value in asdict(rule).items()}}
            for number, rule in enumerate(policy.rules)
        ]
    )


def _decay(
    connection: Connection,
    slice_: int,
    *,
    now: datetime,
    everything: bool = False,
    write: bool = True,
    after: Cursor | None = None,
    most: int | None = None,
) -> RowMapping:
    connection.exec_driver_sql(_BY_ROW)
    due, scope, memory = after or _BEGINNING
    parameters = {
        "rules": rules_json(policy_of(connection).decay),
        "slice": slice_,
        "now": now,
        "everything": everything,
        "write": write,
        "due": due,
        "scope": scope,
        "memory": memory,
        "most": most,
    }
    return execute(connection, "tiers/decay", **parameters).mappings().one()


def _archive(connection: Connection, memories: Sequence[standing.Key], *, now: datetime) -> None:
    """Move faded memories to the archive tier. Default recall leaves out archived memories."""
    if not memories:
        return
    faded = {key: one for key, one in standing.lock(connection, memories).items() if one.tier != ARCHIVE}
    shelved = {key: replace(one, tier=ARCHIVE, moved=now) for key, one in faded.items()}
    steps = [standing.Step(*key, one.tier, ARCHIVE, "it faded below `forget_below`") for key, one in faded.items()]
    standing.write(connection, shelved, now=now, steps=steps)


def _cursor(last: Any) -> Cursor:
    return datetime.fromisoformat(last["due"]), uuid.UUID(last["scope"]), uuid.UUID(last["memory"])
