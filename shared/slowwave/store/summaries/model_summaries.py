"""Summaries of sessions, with the sources of each line, and model summaries of sessions and of tree nodes."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import belief_key
from slowwave.core.summaries.extractive_summary import Line, split, subject
from slowwave.domain.claim import Source
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.fact import SUMMARY
from slowwave.domain.job_table import RETELL, SUMMARISE, pack_of
from slowwave.domain.run import Run
from slowwave.domain.working_memory import PRESSURE
from slowwave.ports import IntentRequest, Vectors
from slowwave.ports.model_calls import Planned, Reply
from slowwave.store.beliefs import affected_facts
from slowwave.store.database import Repository
from slowwave.store.encryption.tenant_keys import encrypted_json
from slowwave.store.fingerprints import fingerprinter
from slowwave.store.model_requests import add_requests, replies_of, turns_at
from slowwave.store.runs import settling
from slowwave.store.statements import execute
from slowwave.store.transaction import space_number

CLOSED = frozenset({"answered", "dead", "split", "erased"})
"""The states of a closed request. A model summary that waits for a request continues when the request is closed."""


@dataclass(frozen=True, slots=True)
class Previous:
    """The summary of a session, and the start of the summary's valid time."""

    lines: Sequence[Line]
    since: datetime


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """A model summary of a session or a tree node: its *lines*, and the *model* that wrote them.

    It has no lines while quotes are used instead.

    *about* is the subject of a session or the id of a node. For a *session*, the lines sum up the messages up to the
    position *covered*, and the last message of the session is at *reached*. *request* is the request that gave the
    lines, or the request whose reply was refused. *waiting* is the pending request. Its reply covers the session up to
    *upto*.
    """

    about: str
    session: str | None = None
    reached: int = 0
    covered: int = 0
    upto: int = 0
    waiting: str | None = None
    request: str | None = None
    model: str | None = None
    lines: Sequence[Line] = ()
    vector: Vectors | None = None


@dataclass(frozen=True, slots=True)
class Open:
    """A model summary that waits for a reply or needs another request, with the present *reply* and its *edition*."""

    summary: ModelSummary
    reply: Reply | None = None
    edition: str = ""


@dataclass(frozen=True, slots=True)
class RecordSummarised:
    """An instruction for the transaction that ends a run: store how far each session is summarised by quotes.

    A model may be asked to rephrase the session up to this position.
    """

    reached: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class WriteModelSummaries:
    """An instruction for the transaction that ends a run: write model *summaries*.

    They have vectors in *space*, and pending requests. The requests in *let_go* are abandoned. A planned request that
    was marked for splitting but has a single turn is given up.
    """

    summaries: Sequence[ModelSummary]
    planned: Planned
    let_go: Sequence[str] = ()
    space: tuple[str, int] = ("", 0)


@dataclass(frozen=True, slots=True)
class SessionSummary(Previous):
    """The fact of a session's summary, and the *rule* that made the summary."""

    fact: uuid.UUID
    rule: str


class PostgresSummaries(Repository):
    """The stored summaries of sessions."""

    def of(self, tenant: str, scope: uuid.UUID, sessions: Sequence[str]) -> Mapping[str, SessionSummary]:
        """Return the latest summary of each session that has one."""
        with self._database.tenant(tenant) as connection:
            return latest_summaries(connection, scope, sessions)

    def evicted(self, run: Run) -> int:
        """Return how many turns were evicted from working memory after a summary had covered them.

        Only summaries up to the run's positions count.
        """
        asked = {"schedule": PRESSURE, "scope": run.scope, "lo": run.lo, "hi": run.hi}
        with self._database.tenant(run.tenant) as connection:
            return int(execute(connection, "summaries/count_evicted", **asked).scalar_one())


def latest_summaries(connection: Connection, scope: uuid.UUID, sessions: Sequence[str]) -> dict[str, SessionSummary]:
    """Return the latest summary of each session that has one."""
    keys = {belief_key(subject(session), SUMMARY, "", single_valued=True): session for session in sessions}
    prints = fingerprinter(connection)
    versions = affected_facts.open_versions(connection, scope, [prints.belief(key) for key in keys])
    sources = words(connection, [version.fact for version in versions])
    latest = {keys[version.key]: version for version in sorted(versions, key=lambda version: version.valid)}
    return {
        session: SessionSummary(
            split(version.object, sources[version.fact]), version.valid.start, version.fact, version.rule
        )
        for session, version in latest.items()
    }  # fmt: skip


def words(connection: Connection, facts: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[Source]]:
    """Return the sources of each summary in *facts*, in the order of the summary's lines."""
    sources: dict[uuid.UUID, list[Source]] = {}
    for fact, *source in execute(connection, "summaries/line_sources", facts=list(facts)):
        sources.setdefault(fact, []).append(Source(*source))
    return sources


def summarised_until(connection: Connection, scope: uuid.UUID) -> tuple[int, int]:
    """Return the position up to which a scope is summarised, and its last position."""
    found = execute(connection, "summaries/summarised_until", scope=scope, pack=pack_of(SUMMARISE)).one()
    return found.summed_up, found.head


class PostgresModelSummaries(Repository):
    """The model summaries. Every method is one transaction and raises `Unavailable`."""

    def open(self, tenant: str, scope: uuid.UUID) -> Sequence[Open]:
        """Return the model summaries of sessions that wait for a reply, or have new turns."""
        with self._database.tenant(tenant) as connection:
            abouts = execute(connection, "summaries/open_summaries", scope=scope).scalars()
            return summaries_about(connection, scope, list(abouts))

    def of(self, tenant: str, scope: uuid.UUID, sessions: Sequence[str]) -> Sequence[Open]:
        """Return the model summaries of these sessions."""
        with self._database.tenant(tenant) as connection:
            return summaries_about(connection, scope, [subject(session) for session in sessions])

    def messages(
        self, tenant: str, scope: uuid.UUID, session: str, *, after: int, upto: int, most: int
    ) -> list[StoredEpisode]:
        """Return the first messages of a session at positions above *after* and up to *upto*, at most *most*."""
        asked = {"scope": scope, "session": session, "after": after, "upto": upto, "most": most}
        with self._database.tenant(tenant) as connection:
            rows = execute(connection, "summaries/messages_between", **asked).mappings()
            return [StoredEpisode.model_construct(**row) for row in rows]

    def at(self, tenant: str, scope: uuid.UUID, positions: Sequence[int]) -> Mapping[int, StoredEpisode]:
        """Return the episodes at *positions*, by position; omit erased episodes."""
        with self._database.tenant(tenant) as connection:
            return turns_at(connection, scope, positions)


def summaries_about(connection: Connection, scope: uuid.UUID, abouts: Sequence[str]) -> list[Open]:
    """Return the existing model summaries of a scope with these subjects (*abouts*)."""
    rows = [
        dict(row)
        for row in execute(connection, "summaries/model_summaries", scope=scope, abouts=list(abouts)).mappings()
    ]
    replies = iter(replies_of(connection, scope, [row for row in rows if row["request"] is not None]))
    return [
        Open(_model_summary(row), None if row["request"] is None else next(replies), row["edition"] or "")
        for row in rows
    ]


def summaries_by_subject(connection: Connection, scope: uuid.UUID, abouts: Sequence[str]) -> dict[str, ModelSummary]:
    """Return the model summaries that have text, by subject (*about*). Served by model_summaries_pkey."""
    rows = connection.exec_driver_sql(
        "SELECT about, session, reached, covered, upto, waiting, request AS told_by, model, lines FROM model_summaries "
        "WHERE scope = %(scope)s AND about = ANY(%(abouts)s::text[]) AND model IS NOT NULL ORDER BY about",
        {"scope": scope, "abouts": list(abouts)},
    ).mappings()
    return {row["about"]: _model_summary(dict(row)) for row in rows}


def _model_summary(row: Mapping[str, Any]) -> ModelSummary:
    return ModelSummary(
        row["about"], row["session"], row["reached"], row["covered"], row["upto"], row["waiting"], row["told_by"],
        row["model"], _lines(row["lines"]),
    )  # fmt: skip


def _lines(stored: Sequence[Mapping[str, Any]] | None) -> list[Line]:
    lines = []
    for one in stored or ():
        first, *more = [Source(uuid.UUID(id_), *rest) for id_, *rest in one["rests"]]
        lines.append(Line(one["text"], first, tuple(more)))
    return lines


@settling.write.register
def _heard(effect: RecordSummarised, connection: Connection, run: Run) -> None:
    sessions = sorted(effect.reached)
    execute(
        connection,
        "summaries/set_received",
        scope=run.scope,
        abouts=[subject(session) for session in sessions],
        sessions=sessions,
        reached=[effect.reached[session] for session in sessions],
    )
    settling.write(IntentRequest(RETELL, pack_of(RETELL), at_once=True), connection, run)


@settling.write.register
def _write_model_summaries(effect: WriteModelSummaries, connection: Connection, run: Run) -> None:
    """Write new requests in key order, then the model summaries. If a reply exists already, request a run at once."""
    states = add_requests(connection, run, effect.planned)
    execute(connection, "model_requests/end_unsplittable", requests=list(effect.planned.hopeless))
    execute(connection, "model_requests/void_unneeded", requests=sorted(effect.let_go))
    _keep(connection, run.scope, effect.summaries)
    _add_vectors(connection, run.scope, effect)
    if states & CLOSED:
        settling.write(IntentRequest(RETELL, pack_of(RETELL), at_once=True), connection, run)


def _add_vectors(connection: Connection, scope: uuid.UUID, effect: WriteModelSummaries) -> None:
    meant = [one for one in effect.summaries if one.vector is not None]
    if meant:
        execute(
            connection,
            "summaries/add_vectors",
            scope=scope,
            space=space_number(connection, *effect.space),
            abouts=[one.about for one in meant],
            vectors=[one.vector for one in meant],
        )


def _keep(connection: Connection, scope: uuid.UUID, summaries: Sequence[ModelSummary]) -> None:
    if not summaries:
        return
    execute(
        connection,
        "summaries/upsert_summaries",
        scope=scope,
        abouts=[one.about for one in summaries],
        sessions=[one.session for one in summaries],
        reached=[one.reached for one in summaries],
        covered=[one.covered for one in summaries],
        upto=[one.upto for one in summaries],
        waiting=[one.waiting for one in summaries],
        requests=[one.request for one in summaries],
        models=[one.model for one in summaries],
        lines=encrypted_json(connection, [_json(one.lines) if one.model else None for one in summaries]),
        rests=[_positions(one.lines) for one in summaries],
    )


def _json(lines: Sequence[Line]) -> str:
    return json.dumps([
        {"text": line.text, "rests": [[str(s.episode), s.key, s.position, s.start, s.end] for s in line.sources]}
        for line in lines
    ])  # fmt: skip


def _positions(lines: Sequence[Line]) -> str:
    return "{" + ",".join(str(p) for p in sorted({s.position for line in lines for s in line.sources})) + "}"
