"""Records of patterns: the success of strategies and tools, and sightings of possible preferences and routines."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.learning import Known
from slowwave.core.patterns import FAMILY, FAMILY_PREFIXES, Support, strategy_state
from slowwave.core.tool_attempts import REACH
from slowwave.domain.attempt import ToolCall, Way
from slowwave.domain.claim import Source
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.limits import canonical_json
from slowwave.domain.pattern import Mention, Preference, Sighting, Strategy, Tally, ToolStats
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.ports import Vectors
from slowwave.store.audit import log as audit
from slowwave.store.beliefs.manual_corrections import sources_of
from slowwave.store.database import Repository
from slowwave.store.encryption.tenant_keys import encrypted
from slowwave.store.runs import settling
from slowwave.store.statements import execute, sql
from slowwave.store.transaction import space_number


@dataclass(frozen=True, slots=True)
class Counted:
    """An instruction for the transaction that ends a run: add counts of strategies, tools and patterns.

    *vectors* are the vectors of strategies. *space* is the name and the number of dimensions of their embedding space.
    """

    tallies: Sequence[Tally]
    calls: Sequence[ToolCall]
    sightings: Sequence[Sighting]
    vectors: Mapping[uuid.UUID, Vectors]
    space: tuple[str, int]


class PostgresPatterns(Repository):
    """The records that earlier runs made for a scope. Every method is one transaction and raises `Unavailable`."""

    def trail(self, run: Run) -> list[StoredEpisode]:
        """Return the tool calls and outcomes shortly before the run's window, in order.

        In a window of separate episodes, the tool calls and outcomes between these episodes are included.
        """
        rows = self._rows(run, sql("patterns/trail"), lo=run.lo - REACH, hi=run.hi if run.only else run.lo - 1)
        own = set(run.positions)
        return [StoredEpisode.model_construct(**row) for row in rows if row["position"] not in own]

    def known(self, run: Run, strategies: Collection[uuid.UUID]) -> dict[uuid.UUID, Known]:
        """Return the existing records of these strategies. Served by the primary key strategies_pkey."""
        if not strategies:
            return {}
        rows = self._rows(
            run,
            "SELECT strategy, task, tools, successes, failures FROM strategies "
            "WHERE scope = %(scope)s AND strategy = ANY(%(strategies)s::uuid[])",
            strategies=list(strategies),
        )
        return {
            row["strategy"]: Known(Way(row["task"], tuple(row["tools"])), Support(row["successes"], row["failures"]))
            for row in rows
        }

    def seen(self, run: Run, patterns: Collection[uuid.UUID]) -> dict[uuid.UUID, dict[str, Sighting]]:
        """Return the sightings of these patterns: for each pattern, one sighting per time bucket.

        Served by sightings_pkey.
        """
        if not patterns:
            return {}
        rows = self._rows(
            run,
            "SELECT pattern, bucket, sources FROM sightings "
            "WHERE scope = %(scope)s AND pattern = ANY(%(patterns)s::uuid[])",
            patterns=list(patterns),
        )
        found: dict[uuid.UUID, dict[str, Sighting]] = {}
        for row in rows:
            sighting = Sighting(row["pattern"], row["bucket"], tuple(map(_source, row["sources"])))
            found.setdefault(sighting.pattern, {})[sighting.bucket] = sighting
        return found

    def preferences(self, run: Run) -> list[Preference]:
        """Return the preferences recorded or undone since the start of the pack's last successful run, oldest first.

        The search begins one hour before this start, in case the clock was set back. While a run holds a scope, no
        other process records deltas.
        """
        last = self._rows(
            run,
            "SELECT started - interval '1 hour' AS began FROM runs "
            "WHERE scope = %(scope)s AND pack = %(pack)s AND outcome = 'ok' ORDER BY run DESC LIMIT 1",
            pack=run.pack,
        )
        rows = self._rows(
            run,
            sql("patterns/preferences"),
            since=last[0]["began"] if last else "-infinity",
            family=sorted(FAMILY),
            prefixes=[prefix.replace("_", r"\_") + "%" for prefix in FAMILY_PREFIXES],
        )
        return [
            Preference(
                fact=row["fact"],
                subject=row["subject"],
                predicate=row["predicate"],
                object=row["object"],
                mentions=[_mention(*mention) for mention in row["mentions"]],
                ended=row["ended"],
            )
            for row in rows
        ]

    def sources(self, run: Run, facts: Collection[uuid.UUID]) -> dict[uuid.UUID, list[Source]]:
        """Return the sources of each of *facts*, in order. Served by the primary key delta_sources_pkey."""
        if not facts:
            return {}
        with self._database.tenant(run.tenant) as connection:
            return sources_of(connection, list(facts))

    def done(self, run: Run, deltas: Collection[uuid.UUID]) -> set[uuid.UUID]:
        """Return those of *deltas* that are in the ledger. Served by the primary key deltas_pkey."""
        if not deltas:
            return set()
        query = "SELECT id FROM deltas WHERE scope = %(scope)s AND id = ANY(%(deltas)s::uuid[])"
        return {row["id"] for row in self._rows(run, query, deltas=list(deltas))}

    def _rows(self, run: Run, query: str, **parameters: Any) -> Sequence[Mapping[str, Any]]:
        with self._database.tenant(run.tenant) as connection:
            return [
                dict(row)
                for row in connection.exec_driver_sql(query, {"scope": run.scope, **parameters}).mappings().all()
            ]


@settling.write.register
def _counted(effect: Counted, connection: Connection, run: Run) -> None:
    _tally(connection, run, effect)
    _calls(connection, run, effect.calls)
    if effect.sightings:
        latest = {(sighting.pattern, sighting.bucket): sighting for sighting in effect.sightings}.values()
        execute(
            connection,
            "patterns/sight",
            scope=run.scope,
            patterns=[sighting.pattern for sighting in latest],
            buckets=[sighting.bucket for sighting in latest],
            sources=[canonical_json(list(map(_plain, sighting.sources))).decode() for sighting in latest],
        )
    if effect.tallies or effect.calls:
        audit.log_write(
            connection,
            "update",
            "procedural",
            scope=run.scope,
            run=run.run,
            affected=sorted({tally.strategy for tally in effect.tallies}),
            detail={
                "successes": sum(tally.successes for tally in effect.tallies),
                "failures": sum(tally.failures for tally in effect.tallies),
                "calls": len(effect.calls),
            },
        )


def _tally(connection: Connection, run: Run, effect: Counted) -> None:
    if not effect.tallies:
        return
    tallies = sorted(effect.tallies, key=lambda tally: tally.strategy)
    execute(
        connection,
        "patterns/tally",
        scope=run.scope,
        strategies=[tally.strategy for tally in tallies],
        tasks=[tally.way.task for tally in tallies],
        descriptions=encrypted(connection, [tally.description for tally in tallies]),
        contexts=encrypted(connection, [tally.context_pattern for tally in tallies]),
        tools=[canonical_json(tally.way.tools).decode() for tally in tallies],
        successes=[tally.successes for tally in tallies],
        failures=[tally.failures for tally in tallies],
        firsts=[tally.first for tally in tallies],
        lasts=[tally.last for tally in tallies],
        facts=[tally.fact for tally in tallies],
    )
    described = [tally for tally in tallies if tally.strategy in effect.vectors]
    if described:
        execute(
            connection,
            "patterns/describe",
            scope=run.scope,
            space=space_number(connection, *effect.space),
            strategies=[tally.strategy for tally in described],
            taught=[tally.taught for tally in described],
            descriptions=encrypted(connection, [tally.description for tally in described]),
            contexts=encrypted(connection, [tally.context_pattern for tally in described]),
            vectors=[effect.vectors[tally.strategy] for tally in described],
        )


def _calls(connection: Connection, run: Run, calls: Sequence[ToolCall]) -> None:
    if calls:
        execute(
            connection,
            "patterns/calls",
            scope=run.scope,
            tools=[call.tool for call in calls],
            tasks=[call.task for call in calls],
            successes=[call.success for call in calls],
            latencies=[call.latency_ms for call in calls],
            ats=[call.at for call in calls],
        )


def _plain(source: Source) -> list[str | int]:
    return [str(source.episode), source.key, source.position, source.start, source.end]


def _source(plain: Sequence[Any]) -> Source:
    episode, key, position, start, end = plain
    return Source(uuid.UUID(episode), key, position, start, end)


def _mention(session: str, at: str, *source: Any) -> Mention:
    return Mention(session, datetime.fromisoformat(at), _source(source))


def strategies(
    connection: Connection,
    scopes: Sequence[uuid.UUID],
    *,
    strategy: uuid.UUID | None = None,
    vector: Vectors | None = None,
    space: str | None = None,
) -> list[Strategy]:
    """Return the strategies of *scopes*, or only *strategy*, in order of agent, channel, task and tools.

    If the *vector* of a task in *space* is given, each strategy has its similarity to the task.
    """
    rows = execute(
        connection, "patterns/strategies_find", scopes=list(scopes), strategy=strategy, vector=vector, space=space
    )
    found = []
    for row in rows:
        support = Support(row.successes, row.failures)
        found.append(
            Strategy(
                id=row.id,
                scope=Scope(row.tenant, row.user_id, row.agent, row.channel),
                task=row.task,
                description=row.description,
                context_pattern=row.context_pattern,
                tool_sequence=tuple(row.tools),
                success_count=row.successes,
                failure_count=row.failures,
                bound=support.bound,
                standing=strategy_state(support, believed=row.fact is not None),
                created_at=row.created,
                last_used=row.last_used,
                fact=row.fact,
                embedding=None if row.embedding is None else tuple(row.embedding),
                similarity=row.similarity,
                score=None if vector is None else (row.similarity or 0.0) * support.bound,
            )
        )
    return found


def tool_stats(connection: Connection, scope: uuid.UUID, *, task: str | None = None) -> list[ToolStats]:
    """Return the success records of the tools of *scope*, for one kind of *task* or for all kinds, the most
    used first.
    """
    rows = execute(connection, "patterns/strategies_tools", scope=scope, task=task)
    return [ToolStats(**row) for row in rows.mappings()]
