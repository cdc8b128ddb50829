"""The outcomes of model requests, and the budgets of calls."""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from slowwave.core.backoff import LONGEST_PAUSE_SECONDS
from slowwave.ports.model_calls import CallTerms
from slowwave.store import pending_windows
from slowwave.store.encryption.tenant_keys import encrypted_text
from slowwave.store.statements import execute

FINAL = ("ok", "unreadable", "failed", "crowded", "refused", "dropped", "late")
"""The outcomes after which a call never changes again."""
STRIKES = 5
"""The failures or vanished senders after which a request is dead. A failure counts only if another request
succeeded.
"""
COMPLAINTS = 2
"""The unreadable replies after which a request is split or dead. A reply counts only if another request succeeded."""
LONGEST_SECONDS = 60 * LONGEST_PAUSE_SECONDS
"""The longest back-off, in seconds. If a provider asks for a longer wait, the wait is cut."""


def waiting(connection: Connection, scope: uuid.UUID | None) -> int:
    """Return the number of pending requests for which a window or a job waits, in one scope or in all scopes."""
    return int(execute(connection, "model_calls/count_pending", scope=scope).scalar_one())


def due(connection: Connection, provider: str, packs: Collection[str]) -> bool:
    """Return whether a request of *packs* may be sent to *provider* now, or is being sent now."""
    found = execute(connection, "model_calls/may_send", provider=provider, packs=list(packs))
    return bool(found.scalar_one())


@dataclass(frozen=True, slots=True)
class Awaited:
    """The state of some requests: how many are *open*, and how many of these are *running* calls.

    *over_quota* and *over_budget* say that the user's quota or the tenant's budget of the day allows none of them.
    """

    open: int
    running: int
    over_quota: bool
    over_budget: bool


def awaited(connection: Connection, terms: CallTerms, tenant: str, requests: Collection[str]) -> Awaited:
    """Return the state of *requests* of a tenant."""
    prices = {"prompt_price": terms.prompt_price, "reply_price": terms.reply_price}
    row = execute(connection, "model_requests/awaited", tenant=tenant, requests=list(requests), **prices).one()
    return Awaited(row.open, row.running, row.over_quota, row.over_budget)


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a call: tokens, and millionths of a currency unit."""

    tokens: int
    micros: int


NOTHING = Cost(0, 0)


def cost(terms: CallTerms, prompt_tokens: int, reply_tokens: int) -> Cost:
    """Return the cost of a call with these numbers of tokens."""
    micros = prompt_tokens * terms.prompt_price + reply_tokens * terms.reply_price
    return Cost(prompt_tokens + reply_tokens, round(micros))


def affordable(most: Cost, cap_tokens: int | None, cap_micros: int | None) -> bool:
    """Return whether the cost *most* is within the caps of a day."""
    return (cap_tokens is None or most.tokens <= cap_tokens) and (cap_micros is None or most.micros <= cap_micros)


def open_budgets(connection: Connection, terms: CallTerms, tenant: str | None = None) -> None:
    """Open the day's budget of *tenant*, or of every tenant with pending requests, with the caps in force."""
    execute(connection, "model_calls/open_budgets", cap_tokens=terms.cap_tokens, cap_micros=terms.cap_micros, of=tenant)


def reserve_budget(connection: Connection, tenant: str, most: Cost) -> bool:
    """Reserve the highest possible cost of a call; return whether it fits into the tenant's daily budget."""
    asked = {"tenant": tenant, "tokens": most.tokens, "micros": most.micros}
    return execute(connection, "model_calls/reserve", **asked).rowcount == 1


def is_over_quota(connection: Connection, tenant: str, user: str) -> bool:
    """Return whether the model calls of today have used up a quota of *user*. Reserved costs count."""
    found = connection.exec_driver_sql(
        "SELECT %(user)s IN (SELECT slowwave_users_over_budget(%(tenant)s))", {"user": user, "tenant": tenant}
    )
    return bool(found.scalar_one())


def begin(
    connection: Connection,
    request: str,
    tenant: str,
    provider: str,
    most: Cost,
    *,
    owner: str,
    batch: int | None = None,
    user: str | None = None,
) -> int:  # fmt: skip
    """Record the begin of a call with the reserved cost *most*; return the call's number.

    A call without a stored request names its *user*, because it counts in the quotas of this user.
    """
    reserved = {"tokens": most.tokens, "micros": most.micros}
    about = {"request": request, "tenant": tenant, "provider": provider, "batch": batch, "owner": owner, "user": user}
    return int(execute(connection, "model_calls/begin_call", **about, **reserved).scalar_one())


def settle(connection: Connection, call: int, outcome: str, spent: Cost | None) -> Mapping[str, Any] | None:
    """Settle a call at the cost *spent*, or else at the reserved cost; return the row before the change.

    Returns None if the call was settled before. If a reply arrives for a call that was given up, the real cost replaces
    the presumed cost.
    """
    found = connection.exec_driver_sql(
        "SELECT call, request, tenant, day, provider, reserved_tokens, reserved_micros, spent_tokens, spent_micros, "
        "started, finished, outcome FROM model_calls WHERE call = %(call)s FOR UPDATE",
        {"call": call},
    ).mappings()
    row = dict(found.one())
    if row["outcome"] in FINAL:
        return None
    spent = spent or Cost(row["reserved_tokens"], row["reserved_micros"])
    open_ = row["finished"] is None
    execute(
        connection,
        "model_calls/settle",
        call=call,
        tenant=row["tenant"],
        day=row["day"],
        outcome=outcome if open_ else "late",
        tokens=spent.tokens,
        micros=spent.micros,
        free_tokens=row["reserved_tokens"] if open_ else 0,
        free_micros=row["reserved_micros"] if open_ else 0,
        more_tokens=spent.tokens - (row["spent_tokens"] or 0),
        more_micros=spent.micros - (row["spent_micros"] or 0),
    )
    return row


def lock(connection: Connection, request: str) -> str | None:
    """Lock a request; return its state, or None if the request does not exist."""
    found = connection.exec_driver_sql(
        "SELECT state FROM model_requests WHERE request = %(request)s FOR UPDATE", {"request": request}
    ).scalar_one_or_none()
    return None if found is None else str(found)


def answer(connection: Connection, request: str, call: int) -> None:
    """Mark the reply of *call* as the reply of *request*. Windows that now have all replies become due."""
    execute(connection, "model_calls/set_answered", request=request, call=call)
    pending_windows.wake_complete(connection, request)


def put_aside(connection: Connection, request: str, call: int, complaint: str) -> None:
    """Mark the reply of *call* as unused, and store the *complaint* about this reply."""
    words = encrypted_text(connection, complaint)
    execute(connection, "model_calls/set_reply_unused", request=request, call=call, complaint=words)


def again(
    connection: Connection, request: str, what: str, *, seen: bool, wait_seconds: float, cut: bool = False
) -> None:
    """Make a request pending again after *wait_seconds*, or end it after too many failures.

    The failure counts only if another request got a readable reply meanwhile (*seen*).

    If the reply was cut off at its maximum length (*cut*), the request is too large and is split at once.
    """
    row = execute(
        connection,
        "model_calls/retry_later",
        request=request,
        what=what,
        seen=seen,
        wait=wait_seconds,
        longest=LONGEST_SECONDS,
    ).one()
    if row.turns > 1 and (cut or row.unreadable >= COMPLAINTS):
        split(connection, request)
    elif row.unreadable >= COMPLAINTS:
        bury(connection, request, "unreadable: no reply about it could be read")
    elif row.failed >= STRIKES:
        bury(connection, request, "failed: asking about it failed again and again")
    elif row.vanished >= STRIKES:
        bury(connection, request, "vanished: every process that asked about it vanished")


def split(connection: Connection, request: str) -> None:
    """Mark a request for splitting. The windows of the request are planned again."""
    connection.exec_driver_sql(
        "UPDATE model_requests SET state = 'split' WHERE request = %(request)s", {"request": request}
    )
    pending_windows.split(connection, request)


def bury(connection: Connection, request: str, reason: str) -> None:
    """End a request without a reply. The windows of the request continue without the reply."""
    connection.exec_driver_sql(
        "UPDATE model_requests SET state = 'dead', reason = %(reason)s WHERE request = %(request)s",
        {"request": request, "reason": reason},
    )
    pending_windows.wake_complete(connection, request)
