"""Model calls by hand: install packs, push episodes, plan windows, settle requests one by one."""

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.store import pending_windows
from tests.contract.harness import Harness
from tests.contract.model_calls.scripted_models import TALK, Talk, echo

TENANT = "default"
_CALLS = itertools.count(1)


@dataclass
class ModelCalls:
    """The harness, for one pack that needs a model."""

    harness: Harness

    def install(self, *packs: Talk) -> None:
        """Register these packs, and no others, in this process and in the database."""
        parts = self.harness.parts
        vars(parts).pop("jobs", None)
        vars(parts).update(models={pack.pack: pack for pack in packs}, packs=[])
        wiring.register(parts)

    def say(self, scope: Scope, *said: str, session: str = "s1", start: int = 1) -> None:
        """Push episodes, and make the work on them due."""
        self.harness.parts.push(
            scope, [Episode(content=one, key=f"k{n}", session=session) for n, one in enumerate(said, start)]
        )
        due_work.fire(self.harness.parts, scope.id)

    def requests(self, state: str = "pending") -> list[str]:
        """Return the requests in a state, in order of their positions."""
        rows = self.harness.rows("SELECT request FROM model_requests WHERE state = %s ORDER BY positions", state)
        return [request for (request,) in rows]

    def positions(self, request: str) -> list[int]:
        """Return the positions of a request's turns."""
        found: list[int] = self.harness.value("SELECT positions FROM model_requests WHERE request = %s", request)
        return found

    def close(self, request: str, raw: str | None = None) -> None:
        """Write the reply to a request, as its sender does, and wake the waiting window."""
        with self.harness.parts.database.tenant(TENANT) as connection:
            self.write(connection, request, raw)

    def write(self, connection: Connection, request: str, raw: str | None = None) -> None:
        """Write the reply to a request in a transaction that stays open."""
        words = self.harness.value("SELECT words FROM model_payloads WHERE request = %s", request)
        connection.exec_driver_sql(
            "INSERT INTO model_replies (call, request, tenant, n, raw) "
            "VALUES (%(call)s, %(request)s, slowwave_tenant(), 0, %(raw)s)",
            {"call": next(_CALLS), "request": request, "raw": raw or echo(words["messages"])},
        )
        connection.exec_driver_sql(
            "UPDATE model_requests SET state = 'answered' WHERE request = %(request)s", {"request": request}
        )
        pending_windows.wake_complete(connection, request)

    def drain(self) -> list[str]:
        """Do all due runs that need no model call; return their jobs, in order."""
        done = []
        while report := due_work.run_next(self.harness.parts, owner="drain"):
            done += [f"{report.job} {report.lo}-{report.hi} {report.outcome}"]
        return [line for line in done if not line.startswith(("prepare", "summarise", "detect"))]

    def marks(self, scope: Scope) -> tuple[int, int]:
        """Return the positions up to which the pack is applied and planned."""
        ((position, planned),) = self.harness.rows(
            "SELECT position, planned FROM watermarks WHERE scope = %s AND pack = %s", scope.id, TALK
        )
        return position, planned

    def beliefs(self, scope: Scope) -> list[str]:
        """Return the texts of the current facts, in order."""
        return sorted(
            f"{fact.subject} {fact.predicate} {fact.object}" for fact in self.harness.parts.records.facts(scope)
        )

    def intents(self) -> list[tuple[Any, ...]]:
        """Return the intents of the pack: job, state, and whether each has a due time."""
        return self.harness.rows(
            "SELECT job, state, due < 'infinity' FROM intents WHERE pack = %s ORDER BY job, state", TALK
        )


def claims(*said: tuple[int, str]) -> str:
    """Return a reply with a claim for each of these positions."""
    return json.dumps({"claims": [list(one) for one in said]})


def likes(count: int, start: int = 1) -> Sequence[str]:
    """Return *count* texts about likes."""
    return [f"likes food{number}" for number in range(start, start + count)]
