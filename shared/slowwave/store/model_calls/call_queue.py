"""The queue of model requests for a sender. A claim or the end of a call changes slot, request and budget together."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.model_calls import Answer, Chunk
from slowwave.domain.scope import SYSTEM_TENANT, Scope
from slowwave.errors import Unavailable
from slowwave.ports.model_calls import CallTerms, ClaimedRequest, Outcome, TestCall
from slowwave.store import transaction
from slowwave.store.database import Database
from slowwave.store.encryption.tenant_keys import encrypted_text
from slowwave.store.model_calls import request_outcomes
from slowwave.store.model_calls.request_outcomes import LONGEST_SECONDS
from slowwave.store.model_requests import chunk, turns_at
from slowwave.store.statements import execute

AT_ONCE = "at once"
"""The request name of a synchronous call, which is never queued, and whose texts are not stored."""
SPARE_SECONDS = 5.0
"""Seconds for which a call keeps its slot after its deadline, so that the end of the call can be written. No
slot is taken for longer than two leases, because such a lease counts as a clock error and as expired.
"""


FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 2.0, 60.0
"""The seconds for which a breaker opens after the third failure in a row; each further failure doubles them, up to the
second value.

One call per minute does not harm a provider, and soon shows a recovery. A provider may ask for a longer wait.
"""


class PostgresCallQueue:
    """The model requests of one provider, for a sender. Each method is one or two short transactions."""

    def __init__(self, database: Database, terms: CallTerms) -> None:
        self._database = database
        self._terms = terms
        self._opened = False

    def take(self, owner: str, packs: Collection[str], models: Collection[str]) -> ClaimedRequest | None:
        """Claim and return the next request and its call, or None. Calls with an unprocessed reply come first."""
        unread = self._recover()
        for call, request, tenant in unread:
            if taken := self.words(call, request, tenant):
                return taken
            self.settle(ClaimedRequest.closed(call, request, tenant), Outcome("dropped"))
        begun = self._begin(owner, packs, models)
        if begun is None:
            return None
        call, request, tenant = begun
        if taken := self.words(call, request, tenant):
            return taken
        self.settle(ClaimedRequest.closed(call, request, tenant), Outcome("dropped", billed=False))
        return None

    def renew(self, call: int) -> bool:
        """Extend the lease of the call's slot; return whether the lease was still held."""
        with self._database.dispatch() as connection:
            renewed = connection.exec_driver_sql(
                "UPDATE model_slots SET until = slowwave_now() + make_interval(secs => %(lease)s) "
                "WHERE call = %(call)s",
                {"call": call, "lease": self._terms.lease_seconds},
            )
            return renewed.rowcount == 1

    def keep(self, taken: ClaimedRequest, answer: Answer) -> int:
        """Store a raw reply before parsing; return the number of parsing attempts, or 0 if parsing is not allowed."""
        with self._database.tenant(taken.tenant) as connection:
            request_outcomes.lock(connection, taken.request)
            looks = execute(
                connection,
                "model_calls/store_reply",
                call=taken.call,
                raw=encrypted_text(connection, answer.text.replace("\0", "\ufffd")),
                model=answer.model,
                prompt_tokens=answer.prompt_tokens,
                reply_tokens=answer.reply_tokens,
                latency_ms=answer.latency_ms,
            ).scalar_one_or_none()
            return int(looks or 0)

    def settle(self, taken: ClaimedRequest, outcome: Outcome) -> str:
        """Record the *outcome* of a call, once; return a word for the next state of the request. Safe to repeat."""
        seen = outcome.kind in ("unreadable", "failed") and self._is_witnessed(taken.call)
        with self._database.tenant(taken.tenant) as connection:
            ended = self._end(connection, taken, outcome, seen=seen)
        with self._database.dispatch() as connection:
            free_slot(connection, taken.call)
            self._tell_breaker(connection, taken.call, outcome, seen=seen)
        return ended

    def _end(self, connection: Connection, taken: ClaimedRequest, outcome: Outcome, *, seen: bool) -> str:
        """Settle the budget, then decide about the request. The first readable reply wins."""
        state = request_outcomes.lock(connection, taken.request)
        before = request_outcomes.settle(connection, taken.call, outcome.kind, self._spent(taken, outcome))
        if before is None:
            return "known"
        was_finished = before["finished"] is not None
        if state not in ("pending", "asked"):
            return state or "gone"
        if outcome.kind == "ok":
            request_outcomes.answer(connection, taken.request, taken.call)
            return "ok"
        if outcome.kind == "unreadable":
            request_outcomes.put_aside(connection, taken.request, taken.call, outcome.reason)
        if was_finished:
            return "late"  # another process has claimed the request by now
        self._after_failure(connection, taken, outcome, seen=seen)
        return outcome.kind

    def _after_failure(self, connection: Connection, taken: ClaimedRequest, outcome: Outcome, *, seen: bool) -> None:
        if outcome.kind == "refused":
            if outcome.too_long and len(taken.chunk.episodes) > 1:
                request_outcomes.split(connection, taken.request)
            else:
                request_outcomes.bury(connection, taken.request, f"refused: {outcome.reason}")
            return
        request_outcomes.again(
            connection, taken.request, outcome.kind, seen=seen, wait_seconds=outcome.wait_seconds, cut=outcome.too_long
        )

    def _spent(self, taken: ClaimedRequest, outcome: Outcome) -> request_outcomes.Cost | None:
        if not outcome.billed:
            return request_outcomes.NOTHING
        if outcome.answer is None:
            return None
        counted = len(outcome.answer.text) // 4 + 1
        reported = outcome.answer.prompt_tokens, outcome.answer.reply_tokens
        prompt, reply = reported[0] or taken.chunk.prompt_tokens, reported[1] or counted
        return request_outcomes.cost(self._terms, prompt, reply)

    # claiming

    def _begin(self, owner: str, packs: Collection[str], models: Collection[str]) -> tuple[int, str, str] | None:
        wanted = {"packs": list(packs), "models": list(models), "longest": LONGEST_SECONDS}
        with self._database.dispatch() as connection:
            slot = self._slot(connection)
            if slot is None:
                return None
            for tenant, *caps in self._turns(connection, wanted):
                if request := self._affordable(connection, tenant, caps, wanted):
                    name, most = request
                    call = request_outcomes.begin(connection, name, tenant, self._terms.provider, most, owner=owner)
                    claim_slot(connection, self._terms, slot, call, tenant)
                    return call, name, tenant
        return None

    def _slot(self, connection: Connection) -> int | None:
        about = {"provider": self._terms.provider, "slots": self._terms.slots, "tenant": SYSTEM_TENANT}
        if not self._opened:
            execute(connection, "model_calls/open_provider", **about)
            self._opened = True
        found = execute(connection, "model_calls/free_slot", **about, longest=LONGEST_SECONDS)
        slot = found.scalar_one_or_none()
        return None if slot is None else int(slot)

    def _turns(self, connection: Connection, wanted: dict[str, Any]) -> list[Any]:
        request_outcomes.open_budgets(connection, self._terms)
        return list(execute(connection, "model_calls/tenants_in_turn", **wanted))

    def _affordable(
        self, connection: Connection, tenant: str, caps: Sequence[int | None], wanted: dict[str, Any]
    ) -> tuple[str, request_outcomes.Cost] | None:
        """Reserve and return the cost of the tenant's oldest due request. A request above a day's cap becomes dead."""
        while True:
            found = execute(connection, "model_calls/oldest_due", **wanted, tenant=tenant, most=1)
            row = found.one_or_none()
            if row is None:
                return None
            most = request_outcomes.cost(self._terms, row.prompt_tokens, row.most_tokens)
            if request_outcomes.affordable(most, *caps):
                return (row.request, most) if request_outcomes.reserve_budget(connection, tenant, most) else None
            request_outcomes.bury(
                connection, row.request, f"too dear: it may take {most.tokens} tokens, more than a day's cap"
            )

    # vanished senders

    def _recover(self) -> list[tuple[int, str, str]]:
        """Free the slots of senders that died. If a call has a stored reply, take over its slot and return the call."""
        unread = []
        with self._database.dispatch() as connection:
            lost = execute(connection, "model_calls/expired_slots", lease=self._terms.lease_seconds).all()
            for row in lost:
                if row.looks and not row.over:
                    unread.append((row.call, row.request, row.tenant))
                    claim_slot(connection, self._terms, row.slot, row.call, row.tenant, provider=row.provider)
                    continue
                if not row.over:
                    self._lost(connection, row.call, row.request, row.started)
                free_slot(connection, row.call)
        return unread

    def _lost(self, connection: Connection, call: int, request: str, started: Any) -> None:
        """Settle a call as paid; make its request pending. No failure is counted after a restart of the database."""
        state = request_outcomes.lock(connection, request)
        before = request_outcomes.settle(connection, call, "vanished", None)
        if before is None or state != "asked":
            return
        restarted = connection.exec_driver_sql(
            "SELECT pg_postmaster_start_time() >= %(started)s", {"started": started}
        ).scalar_one()
        seen = not restarted and _is_witnessed(connection, call)
        request_outcomes.again(connection, request, "vanished", seen=seen, wait_seconds=0)

    def words(self, call: int, request: str, tenant: str) -> ClaimedRequest | None:
        """Return a call with the texts of its request; None if the texts were erased."""
        with self._database.tenant(tenant) as connection:
            found = execute(connection, "model_calls/request_texts", request=request, call=call).mappings()
            row = found.one_or_none()
            if row is None:
                return None
            turns = turns_at(connection, row["scope"], [*row["positions"], *row["quotes"]])
            return ClaimedRequest(
                call, request, tenant, row["pack"], chunk(dict(row), turns), row["complaint"] or "", row["unread"]
            )

    # test calls that find out whether a provider or a request is to blame

    def unwitnessed(self, owner: str, packs: Collection[str], models: Collection[str]) -> TestCall | None:
        """Claim a request that failed three times while no other was answered; return a test call, or None."""
        with self._database.dispatch() as connection:
            wanted = {"provider": self._terms.provider, "packs": list(packs), "models": list(models)}
            row = execute(connection, "model_calls/take_test_request", **wanted).one_or_none()
            if row is None:
                return None
            call = connection.exec_driver_sql(
                "INSERT INTO model_calls (request, tenant, day, provider, owner, reserved_tokens, reserved_micros) "
                "VALUES ('witness', %(tenant)s, (slowwave_now() AT TIME ZONE 'UTC')::date, %(provider)s, %(owner)s, "
                "0, 0) RETURNING call",
                {"tenant": SYSTEM_TENANT, "provider": self._terms.provider, "owner": owner},
            ).scalar_one()
            return TestCall(call, row.request, row.pack, row.last)

    def witnessed(self, witness: TestCall, outcome: Outcome) -> None:
        """Record the outcome of a test call. If the test call is answered, the failures count against the request."""
        with self._database.dispatch() as connection:
            state = request_outcomes.lock(connection, witness.request)
            request_outcomes.settle(connection, witness.call, outcome.kind, request_outcomes.NOTHING)
            if outcome.kind == "ok" and state == "pending":
                request_outcomes.again(connection, witness.request, witness.last, seen=True, wait_seconds=0)
            self._tell_breaker(connection, witness.call, outcome, seen=False)

    def _is_witnessed(self, call: int) -> bool:
        with self._database.dispatch() as connection:
            return _is_witnessed(connection, call)

    def _tell_breaker(self, connection: Connection, call: int, outcome: Outcome, *, seen: bool) -> None:
        """Report an outcome to the breaker. If another reply was readable (*seen*), an unreadable one is no failure."""
        about = {"call": call, "provider": self._terms.provider, "slots": self._terms.slots}
        if outcome.kind == "ok":
            execute(connection, "model_calls/breaker_succeeded", **about)
        elif outcome.kind in ("failed", "crowded") or (outcome.kind == "unreadable" and not seen):
            pauses = {
                "wait": outcome.asked_to_wait,
                "longest_wait": LONGEST_SECONDS,
                "first": FIRST_PAUSE_SECONDS,
                "longest": LONGEST_PAUSE_SECONDS,
            }
            execute(connection, "model_calls/breaker_failed", **about, **pauses)


class PostgresSynchronousCalls(PostgresCallQueue):
    """The calls to one provider for which a caller waits."""

    def begin(self, owner: str, scope: Scope, chunk: Chunk, *, deadline_seconds: float) -> ClaimedRequest:
        """Take a slot, reserve the budget and record the call for the user of *scope*; return the call.

        Raises `Unavailable` if no slot is free, the breaker is open, the tenant's daily budget is too low, or the user
        has used up a quota of the day; then the wait is until the next day (UTC).
        """
        tenant = scope.tenant
        with self._database.dispatch() as connection:
            self._free_lost_slots(connection)
            slot = self._slot(connection)
            if slot is None:
                raise Unavailable(
                    "the model is not available now: all slots are in use, or calls pause after failures",
                    hint="try again in a few seconds; `slowwave status` shows its state",
                )
            most = request_outcomes.cost(self._terms, chunk.prompt_tokens, chunk.most_tokens)
            request_outcomes.open_budgets(connection, self._terms, tenant)
            if not request_outcomes.reserve_budget(connection, tenant, most):
                raise Unavailable(
                    f"the tenant's budget for today has less than {most.tokens} tokens left for models",
                    retry_after_seconds=_until_tomorrow(connection),
                    hint="try again tomorrow (UTC), or raise SLOWWAVE_MODEL_TOKENS_A_DAY, SLOWWAVE_MODEL_MONEY_A_DAY "
                    "or the tenant's quota, which replaces them: `slowwave quotas`",
                )
            # Until this transaction ends, the reservation keeps other calls of the tenant from being counted or begun.
            if request_outcomes.is_over_quota(connection, tenant, scope.user):
                raise Unavailable(
                    f"the quota of user {scope.user} for model calls is used up for today",
                    retry_after_seconds=_until_tomorrow(connection),
                    hint="try again tomorrow (UTC), or raise the user's quota: `slowwave quotas set`",
                )
            call = request_outcomes.begin(
                connection, AT_ONCE, tenant, self._terms.provider, most, owner=owner, user=scope.user
            )
            seconds = min(deadline_seconds + SPARE_SECONDS, 2 * self._terms.lease_seconds)
            claim_slot(connection, replace(self._terms, lease_seconds=seconds), slot, call, tenant)
        return ClaimedRequest(call, AT_ONCE, tenant, "", chunk)

    def end(self, taken: ClaimedRequest, outcome: Outcome) -> None:
        """Record the end of a call: settle the cost, free the slot, and update the provider's breaker."""
        with self._database.tenant(taken.tenant) as connection:
            request_outcomes.settle(connection, taken.call, outcome.kind, self._spent(taken, outcome))
        with self._database.dispatch() as connection:
            free_slot(connection, taken.call)
            self._tell_breaker(connection, taken.call, outcome, seen=False)

    def _free_lost_slots(self, connection: Connection) -> None:
        """Free the slots of processes that died during a call. Calls of these processes are settled as paid."""
        lost = execute(connection, "model_calls/expired_slots", lease=self._terms.lease_seconds).all()
        for row in lost:
            if row.request == AT_ONCE:
                request_outcomes.settle(connection, row.call, "vanished", None)
                free_slot(connection, row.call)


def _until_tomorrow(connection: Connection) -> float:
    """Return the number of seconds until the next day (UTC)."""
    now = transaction.now(connection).astimezone(UTC)
    return 86_400 - (now - now.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()


def _is_witnessed(connection: Connection, call: int) -> bool:
    return bool(execute(connection, "model_calls/others_succeeded", call=call).scalar_one_or_none())


def claim_slot(
    connection: Connection, terms: CallTerms, slot: int, call: int, tenant: str, *, provider: str | None = None
) -> None:
    """Give a slot to a call, for the length of a lease."""
    connection.exec_driver_sql(
        "UPDATE model_slots SET call = %(call)s, of_tenant = %(tenant)s, "
        "until = slowwave_now() + make_interval(secs => %(lease)s) WHERE provider = %(provider)s AND slot = %(slot)s",
        {
            "provider": provider or terms.provider,
            "slot": slot,
            "call": call,
            "tenant": tenant,
            "lease": terms.lease_seconds,
        },
    )


def free_slot(connection: Connection, call: int) -> None:
    """Free the slot of a call."""
    connection.exec_driver_sql(
        "UPDATE model_slots SET call = NULL, of_tenant = NULL, until = NULL WHERE call = %(call)s", {"call": call}
    )
