"""Model calls for which a caller waits. They share slots, breaker and budget with queued calls, but never queue."""

from dataclasses import replace

from sqlalchemy import Connection

from slowwave.domain.model_calls import Chunk
from slowwave.errors import Unavailable
from slowwave.ports.model_calls import ClaimedRequest, Outcome
from slowwave.store.model_calls import request_outcomes
from slowwave.store.model_calls.call_queue import PostgresCallQueue, claim_slot, free_slot
from slowwave.store.statements import execute

AT_ONCE = "at once"
"""The request name of a synchronous call, which is never queued, and whose texts are not stored."""
SPARE_SECONDS = 5.0
"""Seconds for which a call keeps its slot after its deadline, so that the end of the call can be written. No
slot is taken for longer than two leases, because such a lease counts as a clock error and as expired.
"""


class PostgresSynchronousCalls(PostgresCallQueue):
    """The calls to one provider for which a caller waits."""

    def begin(self, owner: str, tenant: str, chunk: Chunk, *, deadline_seconds: float) -> ClaimedRequest:
        """Take a slot, reserve the budget and record the call; return the call with its request.

        Raises `Unavailable` if no slot is free, the breaker is open, or the tenant's daily budget is too low.
        """
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
                    hint="try again tomorrow (UTC), or raise SLOWWAVE_MODEL_TOKENS_A_DAY, SLOWWAVE_MODEL_MONEY_A_DAY "
                    "or the tenant's quota, which replaces them: `slowwave quotas`",
                )
            call = execute(
                connection,
                "model_calls/begin_call",
                request=AT_ONCE,
                tenant=tenant,
                provider=self._terms.provider,
                batch=None,
                owner=owner,
                tokens=most.tokens,
                micros=most.micros,
            ).scalar_one()
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
