"""States of memories. A transaction locks and reads the rows, computes new values, and writes the rows back."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from slowwave.core import tier_moves
from slowwave.core.policy import Policy
from slowwave.domain.standing import Standing
from slowwave.store import transaction
from slowwave.store.direct import send
from slowwave.store.statements import execute, sql
from slowwave.store.transaction import policy_of

Key = tuple[uuid.UUID, uuid.UUID]
"""The key of a memory: its scope and its id."""

TICK = timedelta(microseconds=1)
_READ = [name for name in Standing.__slots__ if name not in ("accesses", "strength")]


@dataclass(frozen=True, slots=True)
class Step:
    """A tier move for the history of tier moves."""

    scope: uuid.UUID
    memory: uuid.UUID
    from_tier: str
    to_tier: str
    reason: str


def lock(connection: Connection, keys: Iterable[Key]) -> dict[Key, Standing]:
    """Lock the states of the memories *keys* in a fixed order, until the transaction ends; return existing states."""
    wanted = sorted(set(keys))
    rows = execute(
        connection,
        "memory_state/lock",
        scopes=[scope for scope, _ in wanted],
        memories=[memory for _, memory in wanted],
    )
    return {(row["scope"], row["memory"]): read(row) for row in rows.mappings()}


def read(row: Any) -> Standing:
    """Return the memory state in a row."""
    return Standing(**{name: row[name] for name in _READ}, accesses=tuple(row["accesses"]))


def evaluate(memories: Mapping[Key, Standing], policy: Policy, now: datetime) -> tuple[dict[Key, Standing], list[Step]]:
    """Return the states of *memories* after the tier moves that are due at *now*, and a list of these moves."""
    after, steps = dict(memories), []
    for (scope, memory), one in memories.items():
        move = tier_moves.move(one, policy.tiers, policy.decay, now)
        if move is not None:
            after[scope, memory] = replace(one, tier=move.to, moved=now)
            steps.append(Step(scope, memory, one.tier, move.to, move.reason))
    return after, steps


def create(connection: Connection, memories: Mapping[Key, Standing]) -> None:
    """Create the rows of those *memories* that have no state yet."""
    if memories:
        policy = policy_of(connection)
        rows = [_columns(key, memory, policy, entered=memory.created) for key, memory in memories.items()]
        send(connection, sql("memory_state/create"), _arrays(rows))


def write(
    connection: Connection,
    memories: Mapping[Key, Standing],
    *,
    now: datetime,
    steps: Sequence[Step] = (),
    run: int | None = None,
    accessed: bool = False,
    looked: bool = False,
) -> None:
    """Write the locked *memories* with their next due times; append *steps* to the history of tier moves.

    If *accessed* is true, facts of project channels are queued for promotion. A memory that is due for the sweep stays
    due, unless the sweep has checked the memory (*looked*).
    """
    if not memories:
        return
    policy = policy_of(connection)
    stepped = {(step.scope, step.memory) for step in steps}
    rows = [
        _columns(key, memory, policy, entered=now + TICK if key in stepped else None)
        for key, memory in memories.items()
    ]
    send(connection, sql("memory_state/write"), {**_arrays(rows), "accessed": accessed, "looked": looked, "now": now})
    log_steps(connection, steps, now=now, run=run)


def log_steps(connection: Connection, steps: Sequence[Step], *, now: datetime, run: int | None) -> None:
    """Append *steps* to the history of tier moves."""
    if steps:
        execute(
            connection,
            "memory_state/add_tier_moves",
            scopes=[step.scope for step in steps],
            memories=[step.memory for step in steps],
            origins=[step.from_tier for step in steps],
            targets=[step.to_tier for step in steps],
            reasons=[step.reason for step in steps],
            at=now,
            run=run,
        )


def _columns(key: Key, memory: Standing, policy: Policy, *, entered: datetime | None) -> dict[str, Any]:
    """Return the row of one memory state. The keys are the parameter names of the statements.

    *entered* is the time at which the memory came to a new tier. If this tier has a capacity, the sweep is due at once.
    """
    level = policy.tiers.level(memory.tier)
    capped = level is not None and level.capacity is not None
    sweep = entered if entered and capped and not memory.pinned else tier_moves.due(memory, policy.tiers, policy.decay)
    return {
        "scopes": key[0],
        "memories": key[1],
        "kinds": memory.kind,
        "sources": memory.source,
        "tiers": memory.tier,
        "bases": memory.base,
        "created": memory.created,
        "last_access": memory.last_access,
        "reinforced": memory.reinforced,
        "access_counts": memory.access_count,
        "accesses": "{" + ",".join(f'"{at.isoformat()}"' for at in memory.accesses) + "}",
        "frequencies": memory.frequency,
        "surprises": memory.surprise,
        "successes": memory.successes,
        "evidence": memory.evidence,
        "moved": memory.moved,
        "pinned": memory.pinned,
        "decay_due": policy.decay.due(memory),
        "sweep_due": sweep,
    }


def _arrays(rows: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def standings(connection: Connection, memories: Iterable[Key]) -> dict[uuid.UUID, Standing]:
    """Return the states of *memories*, by id, with their present strengths. Nothing is locked.

    An episode that was never returned has no state.
    """
    return {memory: one[0] for memory, one in outlooks(connection, memories, [timedelta(0)]).items()}


def outlooks(
    connection: Connection, memories: Iterable[Key], ahead: Sequence[timedelta]
) -> dict[uuid.UUID, list[Standing]]:
    """Return the future states of *memories* by id: for each memory, one state after each duration in *ahead*.

    The function assumes no accesses and no tier moves until then, so only the strengths differ.
    """
    named = list(memories)
    wanted = {"scopes": [scope for scope, _ in named], "memories": [memory for _, memory in named]}
    rows = execute(connection, "recall/standings", **wanted).mappings()
    found = {row["memory"]: read(row) for row in rows}
    decay, now = policy_of(connection).decay, transaction.now(connection)
    return {
        memory: [replace(one, strength=decay.strength(one, now + later)) for later in ahead]
        for memory, one in found.items()
    }
