"""The summaries that are held, with the words each of their lines rests on."""

import uuid
from collections.abc import Mapping, Sequence

from slowwave.core.beliefs.identity import belief_key
from slowwave.core.summary import split, subject
from slowwave.domain.claim import Source
from slowwave.domain.fact import SUMMARY
from slowwave.jobs.summarise import Previous
from slowwave.store.beliefs import held
from slowwave.store.database import Database
from slowwave.store.fingerprints import fingerprinter
from slowwave.store.statements import sql


class PostgresSummaries:
    """A `SummaryStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, tenant: str, scope: uuid.UUID, sessions: Sequence[str]) -> Mapping[str, Previous]:
        keys = {belief_key(subject(session), SUMMARY, "", single_valued=True): session for session in sessions}
        with self._database.tenant(tenant) as connection:
            prints = fingerprinter(connection)
            versions = held.open_versions(connection, scope, [prints.belief(key) for key in keys])
            rows = connection.exec_driver_sql(
                sql("patterns/summary_sources"), {"facts": [version.fact for version in versions]}
            )
            sources: dict[uuid.UUID, list[Source]] = {}
            for fact, *source in rows:
                sources.setdefault(fact, []).append(Source(*source))
        latest = {keys[version.key]: version for version in sorted(versions, key=lambda version: version.valid)}
        return {
            session: Previous(split(version.object, sources[version.fact]), version.valid.start)
            for session, version in latest.items()
        }
