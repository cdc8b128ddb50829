"""The stored summaries, with the sources of each line."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import belief_key
from slowwave.core.summaries.extractive_summary import split, subject
from slowwave.domain.claim import Source
from slowwave.domain.fact import SUMMARY
from slowwave.domain.job_table import SUMMARISE, pack_of
from slowwave.domain.run import Run
from slowwave.domain.working_memory import PRESSURE
from slowwave.jobs.summaries.summarise import Previous
from slowwave.store.beliefs import held_facts
from slowwave.store.database import Database
from slowwave.store.fingerprints import fingerprinter
from slowwave.store.statements import sql


@dataclass(frozen=True, slots=True)
class SessionSummary(Previous):
    """The fact of a session's summary, and the *rule* that made it."""

    fact: uuid.UUID
    rule: str


class PostgresSummaries:
    """A `SummaryStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, tenant: str, scope: uuid.UUID, sessions: Sequence[str]) -> Mapping[str, SessionSummary]:
        with self._database.tenant(tenant) as connection:
            return latest_summaries(connection, scope, sessions)

    def evicted(self, run: Run) -> int:
        asked = {"schedule": PRESSURE, "scope": run.scope, "lo": run.lo, "hi": run.hi}
        with self._database.tenant(run.tenant) as connection:
            return int(connection.exec_driver_sql(sql("summaries/count_evicted"), asked).scalar_one())


def latest_summaries(connection: Connection, scope: uuid.UUID, sessions: Sequence[str]) -> dict[str, SessionSummary]:
    """Return the latest summary of each session that has one."""
    keys = {belief_key(subject(session), SUMMARY, "", single_valued=True): session for session in sessions}
    prints = fingerprinter(connection)
    versions = held_facts.open_versions(connection, scope, [prints.belief(key) for key in keys])
    sources = words(connection, [version.fact for version in versions])
    latest = {keys[version.key]: version for version in sorted(versions, key=lambda version: version.valid)}
    return {
        session: SessionSummary(
            split(version.object, sources[version.fact]), version.valid.start, version.fact, version.rule
        )
        for session, version in latest.items()
    }  # fmt: skip


def words(connection: Connection, facts: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[Source]]:
    """Return the sources of summaries, in the order of their lines, by fact."""
    sources: dict[uuid.UUID, list[Source]] = {}
    for fact, *source in connection.exec_driver_sql(sql("summaries/line_sources"), {"facts": list(facts)}):
        sources.setdefault(fact, []).append(Source(*source))
    return sources


def summarised_until(connection: Connection, scope: uuid.UUID) -> tuple[int, int]:
    """Return the position up to which a scope is summarised, and its last position."""
    found = connection.exec_driver_sql(
        sql("summaries/summarised_until"), {"scope": scope, "pack": pack_of(SUMMARISE)}
    ).one()
    return found.summed_up, found.head
