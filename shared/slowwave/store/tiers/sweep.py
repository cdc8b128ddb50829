"""The sweep of tiers. One transaction locks and evaluates memory states, moves memories, and logs the moves."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby

from sqlalchemy import Connection

from slowwave.core import tier_moves
from slowwave.core.summaries import eviction_summary
from slowwave.core.summaries.eviction_summary import Victim
from slowwave.core.tiers import TierPolicy
from slowwave.domain.claim import Source
from slowwave.domain.job_table import SWEEP, pack_of
from slowwave.domain.run import Run
from slowwave.domain.standing import ARCHIVE, Standing
from slowwave.errors import Conflict
from slowwave.ports import Vectors
from slowwave.store import transaction
from slowwave.store.beliefs.apply import apply_decisions
from slowwave.store.database import Database
from slowwave.store.fingerprints import fingerprinter
from slowwave.store.inbox.stored_episodes import by_ids
from slowwave.store.memory_state import entities, standing
from slowwave.store.memory_state.standing import Step
from slowwave.store.statements import execute
from slowwave.store.transaction import policy_of, space_number
from slowwave.store.work_queue import leases
from slowwave.store.work_queue.leases import open_scope
from slowwave.store.work_queue.slices import slice_of

Cursor = tuple[datetime, uuid.UUID, uuid.UUID]
"""The cursor of a sweep, in the order of due memories: due time, scope, id."""

ScopeTier = tuple[uuid.UUID, str]
"""A tier of a scope."""
BATCH = 2_000
"""The number of memories per transaction of a sweep."""
_BEGINNING = datetime(1, 1, 2, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Swept:
    """The result of one batch: the number of memories *looked* at, the moves in each direction, and full tiers.

    *full* are the tiers of scopes that may exceed their capacity, each with one memory. This memory stays due until the
    tier is within capacity, so that the next run continues an interrupted run. *last* is the cursor at the end of the
    batch, None after the last batch.
    """

    looked: int
    moves: Mapping[str, int]
    full: Mapping[ScopeTier, uuid.UUID]
    last: Cursor | None


@dataclass(frozen=True, slots=True)
class Overflow:
    """The memories to evict from a tier of a scope, and True if a summary of the memories is written first."""

    scope: uuid.UUID
    tier: str
    victims: Sequence[uuid.UUID]
    summed_up: Sequence[Victim] = ()


class PostgresSweep:
    """The tiers of memories. Every method is one transaction guarded by the run's lease.

    *space* is the name and the number of dimensions of the embedding space for overviews of evicted memories.
    """

    def __init__(self, database: Database, *, space: tuple[str, int], batch: int = BATCH) -> None:
        self._database = database
        self._space = space
        self._batch = batch

    def now(self, run: Run) -> datetime:
        """Return the time that the whole sweep uses as now."""
        with self._database.tenant(run.tenant) as connection:
            return transaction.now(connection)

    def sweep(self, run: Run, after: Cursor | None, *, now: datetime) -> Swept:
        """Evaluate the next memories due at *now*, and move those whose tier changes."""
        due, scope, memory = after or (_BEGINNING, uuid.UUID(int=0), uuid.UUID(int=0))
        with self._database.tenant(run.tenant) as connection:
            leases.fence(connection, run)
            policy = policy_of(connection)
            if policy.retention.legal_hold:
                return Swept(0, {}, {}, None)
            where = {"slice": slice_of(connection, run), "due": due, "scope": scope, "memory": memory}
            found = execute(connection, "tiers/sweep_due", **where, now=now, most=self._batch)
            rows = found.mappings().all()
            states = {(row["scope"], row["memory"]): standing.read(row) for row in rows}
            changed, steps = standing.evaluate(states, policy, now)
            full = {
                (scope, one.tier): memory
                for (scope, memory), one in states.items()
                if changed[scope, memory] is one
                and (level := policy.tiers.level(one.tier)) is not None
                and level.capacity is not None
            }
            rest = {key: one for key, one in changed.items() if full.get((key[0], one.tier)) != key[1]}
            standing.write(connection, rest, now=now, steps=steps, run=run.run, looked=True)
        last = (rows[-1]["sweep_due"], rows[-1]["scope"], rows[-1]["memory"]) if len(rows) == self._batch else None
        return Swept(len(rows), ways(steps, policy.tiers), full, last)

    def overflow(self, run: Run, scope: uuid.UUID, tier: str, *, now: datetime) -> Overflow | None:
        """Return the memories that exceed the capacity of a tier, or None if the tier is within capacity."""
        with self._database.tenant(run.tenant) as connection:
            policy = policy_of(connection)
            level = policy.tiers.level(tier)
            if level is None or level.capacity is None:
                return None
            rows = execute(connection, "tiers/sweep_tier", scope=scope, tier=tier, now=now)
            states = {row["memory"]: standing.read(row) for row in rows.mappings()}
            if len(states) <= level.capacity:
                return None
            room = eviction_summary.room(level.capacity)
            chosen = tier_moves.victims(states.items(), room, lambda memory: policy.decay.strength(memory, now))
            if not chosen:
                return None
            summed_up = _victims(connection, scope, chosen, states) if level.overflow == "summarise" else []
            return Overflow(scope, tier, chosen, summed_up)

    def evict(self, run: Run, overflow: Overflow, vector: Vectors | None, *, now: datetime) -> bool:
        """Move the memories of *overflow* one tier down. If the policy asks for an overview, write it first.

        Returns False if an overview is needed and the scope is leased. Raises `Conflict` if a memory was used
        meanwhile.
        """
        scope, tier = overflow.scope, overflow.tier
        with self._database.tenant(run.tenant) as connection:
            leases.fence(connection, run)
            after = open_scope(connection, scope) if overflow.summed_up else now
            if after is None:
                return False
            policy = policy_of(connection)
            victims = {(scope, memory) for memory in overflow.victims}
            locked = standing.lock(connection, [*victims, *entities.about(connection, victims)])
            states = {key: one for key, one in locked.items() if key in victims}
            if len(states) < len(overflow.victims) or any(not _may_go(one, tier, now) for one in states.values()):
                raise Conflict("a memory to be evicted was used meanwhile", hint="choose the memories to evict again")
            if overflow.summed_up:
                self._sum_up(connection, run, overflow, vector, after=after, now=now)
            below = policy.tiers.below(tier) or ARCHIVE
            steps = [Step(*key, tier, below, f"there were too many in {tier}") for key in states]
            changed = {key: replace(one, tier=below, moved=now) for key, one in states.items()}
            standing.write(connection, changed, now=now, steps=steps, run=run.run, looked=True)
            return True

    def mark_swept(self, run: Run, full: Iterable[tuple[ScopeTier, uuid.UUID]], *, now: datetime) -> None:
        """Clear `sweep_due` of the memories that triggered an eviction, except memories that were moved since *now*."""
        tiers = {(scope, memory): tier for (scope, tier), memory in full}
        if not tiers:
            return
        with self._database.tenant(run.tenant) as connection:
            leases.fence(connection, run)
            states = standing.lock(connection, tiers)
            stayed = {
                key: one
                for key, one in states.items()
                if one.tier == tiers[key] and (one.moved is None or one.moved < now)
            }
            standing.write(connection, stayed, now=now, looked=True)

    def _sum_up(
        self,
        connection: Connection,
        run: Run,
        overflow: Overflow,
        vector: Vectors | None,
        *,
        after: datetime,
        now: datetime,
    ) -> None:
        """Write an overview of evicted memories, unless an overview of exactly the same memories exists."""
        id_ = eviction_summary.overview_id(overflow.scope, overflow.tier, overflow.summed_up)
        if connection.exec_driver_sql("SELECT 1 FROM deltas WHERE id = %(id)s", {"id": id_}).scalar_one_or_none():
            return
        decision = eviction_summary.decide(
            overflow.scope,
            overflow.tier,
            overflow.summed_up,
            rule=f"{SWEEP}/{policy_of(connection).names.get('tiers')}",
            at=now,
            fingerprint=fingerprinter(connection).fact,
        )
        apply_decisions(
            connection,
            overflow.scope,
            [decision],
            run=run.run,
            pack=pack_of(SWEEP),
            after=after,
            vectors={} if vector is None else {id_: vector},
            space=space_number(connection, *self._space),
        )


def ways(steps: Sequence[Step], tiers: TierPolicy) -> Counter[str]:
    """Return the numbers of *steps* up, down and to the archive tier."""
    names = [*(level.name for level in tiers.levels), ARCHIVE]

    def way(step: Step) -> str:
        if step.to_tier == ARCHIVE:
            return "archived"
        known = step.from_tier in names and names.index(step.to_tier) < names.index(step.from_tier)
        return "raised" if known else "lowered"

    return Counter(way(step) for step in steps)


def _may_go(memory: Standing, tier: str, now: datetime) -> bool:
    """Return whether *memory* may still be evicted: it was not used, moved or pinned after it was chosen at *now*."""
    moved = memory.tier != tier or (memory.moved is not None and memory.moved >= now)
    used = memory.last_access is not None and memory.last_access > now
    return not (moved or used or memory.pinned)


def _victims(
    connection: Connection, scope: uuid.UUID, chosen: Sequence[uuid.UUID], states: Mapping[uuid.UUID, Standing]
) -> list[Victim]:
    """Return those of the *chosen* memories that have a text, the strongest first."""
    found: dict[uuid.UUID, Victim] = {}
    rows = execute(connection, "tiers/sweep_victims", scope=scope, facts=list(chosen))
    for fact, sources in groupby(rows, key=lambda row: row.fact):
        source_rows = list(sources)
        first, rests = source_rows[0], [Source(*row[5:]) for row in source_rows]
        found[fact] = Victim(fact, first.subject, first.text, first.confidence, first.session, rests)
    episodes = [memory for memory in chosen if states[memory].kind == "episodic"]
    for episode in by_ids(connection, scope, episodes) if episodes else ():
        words = Source(episode.id, episode.key, episode.position, 0, len(episode.content))
        found[episode.id] = Victim(episode.id, None, episode.content, 1.0, episode.session, [words])
    return [found[memory] for memory in reversed(chosen) if memory in found]
