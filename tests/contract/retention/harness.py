"""Helpers that archive memories in a database, and show what was removed."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import ARCHIVE
from slowwave.domain.scope import Scope
from slowwave.jobs.lifecycle import Archive
from slowwave.memory import MemoryScope
from slowwave.store.database import Database
from slowwave.store.retention.archive import PostgresArchive
from tests.contract.harness import Harness
from tests.contract.harness import withdraw as withdraw_fact

Keep = Callable[..., Database]


@pytest.fixture
def keep(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> Iterator[Keep]:
    """Puts a retention policy in force for the archive, and gives a database connection under it."""

    made: list[Database] = []
    monkeypatch.setattr(
        harness.parts.watched, "glance", lambda **_: False
    )  # otherwise a reload would replace these jobs

    def govern(*, batch: int = 500, **retention: Any) -> Database:
        policy = harness.parts.lifecycle.policies.of("default")
        chosen = replace(policy, retention=replace(policy.retention, **retention))
        database = Database(harness.parts.url, policy_of=lambda _tenant: chosen)
        made.append(database)
        harness.parts.jobs[ARCHIVE] = Archive(PostgresArchive(database, batch=batch))
        harness.parts.schedule._policies = lambda: replace(harness.parts.lifecycle.policies, everybody=chosen)
        return database

    yield govern
    for database in made:
        database.close()


def tell(harness: Harness, scope: Scope, *said: str, session: str = "s1") -> None:
    """Push *said* in a session, prepare it and consolidate it."""
    harness.learn(scope, [Episode(content=text, key=f"{session}/{text}", session=session) for text in said])


def withdraw(harness: Harness, scope: Scope, *objects: str) -> None:
    """Withdraw the facts with these objects, or all facts."""
    for fact in harness.parts.records.facts(scope):
        if not objects or fact.object in objects:
            withdraw_fact(MemoryScope(harness.parts, scope), fact)


def archived(harness: Harness) -> set[str]:
    """Return the archived sessions."""
    return {session for (session,) in harness.rows("SELECT session FROM conversations WHERE archived IS NOT NULL")}


def expired(harness: Harness) -> set[str]:
    """Return the sessions whose episodes have all expired."""
    return {session for (session,) in harness.rows("SELECT session FROM conversations WHERE tombstoned >= touched")}


def tombstoned(harness: Harness) -> set[str]:
    """Return the tombstoned entities."""
    return {name for (name,) in harness.rows("SELECT name FROM entities WHERE tombstoned IS NOT NULL")}


def believed(harness: Harness, scope: Scope) -> set[str]:
    """Return the objects of the current facts."""
    held = harness.rows("SELECT object FROM facts WHERE scope = %s AND upper_inf(recorded)", scope.id)
    return {object_ for (object_,) in held}


def recalled(harness: Harness, scope: Scope, question: str, *, archived: bool = False) -> set[str]:
    """Return the texts that answer *question*."""
    found = MemoryScope(harness.parts, scope).recall(question, archived=archived)
    return {one.text for one in found}


def entity_row(harness: Harness, scope: Scope, name: str) -> dict[str, datetime | None]:
    """Return the row of an entity."""
    ((seen, faded, tombstoned_, due),) = harness.rows(
        "SELECT last_seen, faded, tombstoned, due FROM entities WHERE scope = %s AND name = %s", scope.id, name
    )
    return {"last_seen": seen, "faded": faded, "tombstoned": tombstoned_, "due": due}
