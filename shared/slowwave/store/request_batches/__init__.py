"""Batches of model requests. An export reserves budgets. Requests without a reply in time become pending again."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from slowwave.domain.model_calls import Chunk
from slowwave.ports.model_calls import CallTerms
from slowwave.store.database import Database
from slowwave.store.model_calls import request_outcomes
from slowwave.store.model_requests import chunk, turns_at
from slowwave.store.statements import execute

FILE = "file"
"""The provider name of requests that are answered elsewhere and come back in a file."""
MOST_EXPIRIES = 2
"""How many batches may expire for a request before only live providers get it."""


@dataclass(frozen=True, slots=True)
class ExportedBatch:
    """An exported request: its key, its model, and its chunk."""

    request: str
    pack: str
    model: str
    chunk: Chunk


class PostgresBatches:
    """Exports pending requests within the budget of *terms*, and returns unanswered requests to the queue."""

    def __init__(self, database: Database, terms: CallTerms) -> None:
        self._database = database
        self._terms = terms

    def pending(self, tenant: str, *, most: int, live: bool = False) -> list[ExportedBatch]:
        """Return the pending requests of a tenant, oldest first. Nothing is written.

        If this installation also sends requests to a provider itself (*live*), requests that expired in two batches are
        left out.
        """
        asked = {"tenant": tenant, "most": most, "live": live, "expiries": MOST_EXPIRIES}
        with self._database.tenant(tenant) as connection:
            found = execute(connection, "request_batches/pending", **asked).mappings()
            handed = []
            for row in [dict(one) for one in found]:
                turns = turns_at(connection, row["scope"], [*row["positions"], *row["quotes"]])
                handed.append(ExportedBatch(row["request"], row["pack"], row["model"], chunk(row, turns)))
            return handed

    def hand_out(
        self, tenant: str, handed: Sequence[ExportedBatch], *, owner: str, seconds: float
    ) -> list[ExportedBatch]:
        """Mark those requests in *handed* as exported that are pending and within the day's budget; return them.

        After *seconds* without a reply, exported requests become pending again.
        """
        given: list[ExportedBatch] = []
        by_key = sorted(handed, key=lambda one: one.request)
        with self._database.dispatch() as connection:
            if not by_key:
                return given
            batch = execute(
                connection,
                "request_batches/make_batch",
                tenant=tenant,
                provider=FILE,
                requests=len(by_key),
                seconds=seconds,
            ).scalar_one()
            request_outcomes.open_budgets(connection, self._terms)
            for one in by_key:
                if self._begin(connection, tenant, one, batch=batch, owner=owner):
                    given.append(one)
        order = {one.request: number for number, one in enumerate(handed)}
        return sorted(given, key=lambda one: order[one.request])

    def call_for(self, request: str) -> tuple[int, str] | None:
        """Return the call to which a reply to *request* belongs, and the call's tenant.

        If there is no call, create a call.

        Returns None for an unknown request.
        """
        with self._database.dispatch() as connection:
            row = connection.exec_driver_sql(
                "SELECT r.tenant, (SELECT max(c.call) FROM model_calls c WHERE c.request = r.request "
                "AND c.provider = 'file' AND (c.finished IS NULL OR c.outcome = 'expired')) AS call "
                "FROM model_requests r WHERE r.request = %(request)s",
                {"request": request},
            ).one_or_none()
            if row is None:
                return None
            call = (
                row.call
                or connection.exec_driver_sql(
                    "INSERT INTO model_calls (request, tenant, day, provider, owner, reserved_tokens, reserved_micros) "
                    "VALUES (%(request)s, %(tenant)s, (slowwave_now() AT TIME ZONE 'UTC')::date, 'file', 'file', 0, 0) "
                    "RETURNING call",
                    {"request": request, "tenant": row.tenant},
                ).scalar_one()
            )
            return int(call), str(row.tenant)

    def take_back(self) -> int:
        """Make exported requests pending again if they were not answered in time; return their number."""
        with self._database.dispatch() as connection:
            batches = list(execute(connection, "request_batches/ended_batches").scalars())
            if not batches:
                return 0
            calls = connection.exec_driver_sql(
                "SELECT call, request FROM model_calls WHERE batch = ANY(%(batches)s::bigint[]) AND finished IS NULL "
                "ORDER BY request, call",
                {"batches": batches},
            ).all()
            for row in calls:
                state = request_outcomes.lock(connection, row.request)
                request_outcomes.settle(connection, row.call, "expired", request_outcomes.NOTHING)
                if state == "asked":
                    connection.exec_driver_sql(
                        "UPDATE model_requests SET state = 'pending' WHERE request = %(request)s",
                        {"request": row.request},
                    )
            connection.exec_driver_sql(
                "UPDATE model_batches SET state = 'ended' WHERE batch = ANY(%(batches)s::bigint[])",
                {"batches": batches},
            )
            return len(calls)

    def _begin(self, connection: Connection, tenant: str, one: ExportedBatch, *, batch: int, owner: str) -> bool:
        if request_outcomes.lock(connection, one.request) != "pending":
            return False
        most = request_outcomes.cost(self._terms, one.chunk.prompt_tokens, one.chunk.most_tokens)
        if not request_outcomes.reserve_budget(connection, tenant, most):
            return False
        request_outcomes.begin(connection, one.request, tenant, FILE, most, owner=owner, batch=batch)
        return True
