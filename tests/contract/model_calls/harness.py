"""Model calls by hand: install packs, push episodes, plan windows, settle requests one by one."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.store import model_requests, pending_windows
from tests.contract.harness import Harness, somebody
from tests.contract.model_calls.scripted_models import TALK, Talk, echo

TENANT = "default"
_CALLS = itertools.count(1)


@dataclass
class ModelCalls(Harness):
    """The harness, for one pack that needs a model and mostly one scope."""

    scope: Scope = field(default_factory=somebody)

    def install(self, *packs: Talk) -> None:
        """Register these packs, and no others, in this process and in the database."""
        vars(self.parts).pop("jobs", None)
        vars(self.parts).update(models={pack.pack: pack for pack in packs}, packs=[])
        wiring.register(self.parts)

    def say(self, *texts: str, scope: Scope | None = None, start: int = 1) -> None:
        """Push episodes, and make the work on them due."""
        scope = scope or self.scope
        self.parts.push(
            scope, [Episode(content=text, key=f"k{n}", session="s1") for n, text in enumerate(texts, start)]
        )
        due_work.fire(self.parts, scope.id)

    def plan(self, count: int, *, start: int = 1, scope: Scope | None = None) -> list[str]:
        """Push *count* likes and plan the requests about them; return all pending requests."""
        self.say(*likes(count, start), scope=scope, start=start)
        self.work()
        return self.requests()

    def requests(self, state: str = "pending") -> list[str]:
        """Return the requests in a state, in order of their positions."""
        return self.column("SELECT request FROM model_requests WHERE state = %s ORDER BY positions", state)

    def positions(self, request: str) -> list[int]:
        """Return the positions of a request's turns."""
        found: list[int] = self.value("SELECT positions FROM model_requests WHERE request = %s", request)
        return found

    def reply(self, *requests: str, raw: str | None = None) -> None:
        """Write the reply to each request, as its sender does, and wake the waiting window."""
        for request in requests:
            with self.parts.database.tenant(TENANT) as connection:
                self.write(connection, request, raw)

    def write(self, connection: Connection, request: str, raw: str | None = None) -> None:
        """Write the reply to a request in a transaction that stays open."""
        words = self.value("SELECT words FROM model_payloads WHERE request = %s", request)
        connection.exec_driver_sql(
            "INSERT INTO model_replies (call, request, tenant, n, raw) "
            "VALUES (%(call)s, %(request)s, slowwave_tenant(), 0, %(raw)s)",
            {"call": next(_CALLS), "request": request, "raw": raw or echo(words["messages"])},
        )
        connection.exec_driver_sql(
            "UPDATE model_requests SET state = 'answered' WHERE request = %(request)s", {"request": request}
        )
        pending_windows.wake_complete(connection, request)

    def refuse(self, request: str, reason: str) -> None:
        """Let a request fail for good, and wake the window that waits for it."""
        self.rows("UPDATE model_requests SET state = 'dead', reason = %s WHERE request = %s", reason, request)
        self.rows(
            "SELECT slowwave_ask(ARRAY[ROW(scope, tenant, 'consolidate', %s, 0, slowwave_now(), true, NULL, NULL, NULL)"
            "::slowwave_work]) FROM model_requests WHERE request = %s", TALK, request,
        )  # fmt: skip

    def erase(self, *positions: int, matching: Sequence[str] = ()) -> Sequence[str]:
        """Erase the words of turns from the requests, and the requests *matching*; return the changed requests."""
        with self.parts.database.tenant(TENANT) as connection:
            return model_requests.erase(connection, self.scope.id, positions, matching)

    def work(self) -> list[str]:
        """Do all due runs that need no model call; return those of the pack, in order."""
        done = []
        while report := due_work.run_next(self.parts, owner="drain"):
            if report.pack == TALK:
                done.append(f"{report.job} {report.lo}-{report.hi} {report.outcome}")
        return done

    def marks(self) -> tuple[int, int]:
        """Return the positions up to which the pack is applied and planned."""
        ((position, planned),) = self.rows(
            "SELECT position, planned FROM watermarks WHERE scope = %s AND pack = %s", self.scope.id, TALK
        )
        return position, planned

    def beliefs(self) -> list[str]:
        """Return the texts of the current facts, in order."""
        return sorted(f"{fact.subject} {fact.predicate} {fact.object}" for fact in self.parts.records.facts(self.scope))

    def budget(self) -> tuple[int, int]:
        """Return the tokens that were spent and that are reserved."""
        ((spent, reserved),) = self.rows("SELECT spent_tokens, reserved_tokens FROM model_budgets")
        return spent, reserved

    def intents(self) -> list[tuple[Any, ...]]:
        """Return the intents of the pack: job, state, and whether each has a due time."""
        return self.rows("SELECT job, state, due < 'infinity' FROM intents WHERE pack = %s ORDER BY job, state", TALK)


def likes(count: int, start: int = 1) -> Sequence[str]:
    """Return *count* texts about likes."""
    return [f"likes food{number}" for number in range(start, start + count)]
