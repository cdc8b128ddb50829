"""The check of invariants, with one SQL statement per invariant. It also compares facts with a replay of the ledger."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from sqlalchemy import Connection

from slowwave.core.health import GROWN, KEPT, OF_A_TENANT, OF_THE_INSTALLATION, PROJECTED, REBUILT, SEALED, Invariant
from slowwave.domain.finding import Finding
from slowwave.domain.job_table import PLAN, PREPARE, PUSHED, SEAL, WINDOWED
from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.errors import Unprepared
from slowwave.store.beliefs.digest import rebuilt as stored_rebuilt
from slowwave.store.database import Database
from slowwave.store.graph.rebuild import differences
from slowwave.store.seals import seal_broken, tenant_seal_broken
from slowwave.store.seals.episodes import episode_changed
from slowwave.store.statements import execute
from slowwave.store.summaries import tree

MOST = 1_000
"""The maximum number of findings of one invariant in one tenant. A longer list would not help."""
LOOK_SECONDS = 600
"""The time limit of one statement over all data of a tenant."""


class PostgresChecks:
    """The queries that check invariants. *jobs* are the jobs that this installation must have registered."""

    def __init__(self, database: Database, *, jobs: Sequence[str]) -> None:
        self._database = database
        self._jobs = list(jobs)

    def findings(self, *, folds: int | None) -> Iterator[Finding]:
        """Yield the violations, tenant by tenant. At most *folds* ledgers per tenant are replayed; with None, all are.

        The selection of ledgers changes daily, so that after some days all ledgers were checked. Raises `Unavailable`.
        """
        tenants = self._database.tenants()
        for invariant in OF_THE_INSTALLATION:
            with self._database.dispatch() as connection:
                found = _found(connection, invariant, SYSTEM_TENANT, self._parameters)
            yield from found
        for tenant in tenants:
            for invariant in OF_A_TENANT:
                with self._looking(tenant) as connection:
                    found = _found(connection, invariant, tenant, {})
                yield from found
            with self._looking(tenant) as connection:
                _take_time(connection)
                broken = tenant_seal_broken(connection)
            if broken:
                yield Finding(SEALED.name, broken, SEALED.remedy, tenant)
            yield from self._folded(tenant, folds)

    @property
    def _parameters(self) -> dict[str, Any]:
        return {
            "windowed": list(WINDOWED),
            "pushed": list(PUSHED),
            "jobs": self._jobs,
            "plan": PLAN,
            "seal": SEAL,
            "asked": [PREPARE],
        }

    def _looking(self, tenant: str) -> AbstractContextManager[Connection]:
        return self._database.tenant(tenant, deadline_seconds=LOOK_SECONDS + 5)

    def _folded(self, tenant: str, folds: int | None) -> Iterator[Finding]:
        with self._looking(tenant) as connection:
            scopes = execute(connection, "operator/check_scopes", most=folds).scalars().all()
        for scope in scopes:
            with self._looking(tenant) as connection:
                _take_time(connection)
                found = {
                    REBUILT: _differs(connection, scope),
                    SEALED: _checked_twice(connection, scope, partial(seal_broken, connection, scope)),
                    KEPT: _checked_twice(connection, scope, partial(episode_changed, connection, scope)),
                    PROJECTED: _checked_twice(connection, scope, partial(differences, connection, scope)),
                    GROWN: _checked_twice(connection, scope, partial(tree.differences, connection, scope)),
                }
            for invariant, differs in found.items():
                if differs:
                    yield Finding(invariant.name, differs, invariant.remedy, tenant, scope)


def _found(connection: Connection, invariant: Invariant, tenant: str, parameters: dict[str, Any]) -> list[Finding]:
    _take_time(connection)
    statement = f"operator/invariants/{invariant.name.replace('-', '_')}"
    rows = execute(connection, statement, **parameters, most=MOST)
    return [Finding(invariant.name, row.subject, invariant.remedy, tenant, row.scope) for row in rows]


def _take_time(connection: Connection) -> None:
    connection.exec_driver_sql("SELECT set_config('statement_timeout', %(most)s, true)", {"most": f"{LOOK_SECONDS}s"})


def _differs(connection: Connection, scope: uuid.UUID) -> str | None:
    """Return the numbers of missing and extra fact versions, compared with a rebuild; None if there are none."""

    def look() -> str | None:
        folded, stored = stored_rebuilt(connection, scope)
        if folded == stored:
            return None
        return f"{len(folded - stored)} versions are missing and {len(stored - folded)} are too many"

    return _checked_twice(connection, scope, look)


def _checked_twice(connection: Connection, scope: uuid.UUID, look: Callable[[], str | None]) -> str | None:
    """Return the finding of *look*. If there is a finding, check it again under a lock that keeps writers out.

    An encrypted text that was changed, and so cannot be decrypted, is a finding too.
    """

    def found() -> str | None:
        try:
            return look()
        except Unprepared as error:
            return error.message

    if found() is None:
        return None
    execute(connection, "operator/lock_out_writers", scope=scope)
    return found()
