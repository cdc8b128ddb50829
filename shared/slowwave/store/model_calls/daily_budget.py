"""The daily budget: the highest possible cost of a call is reserved before it begins, and settled once when it ends."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from slowwave.ports.model_calls import CallTerms
from slowwave.store.statements import sql

FINAL = ("ok", "unreadable", "failed", "crowded", "refused", "dropped", "late")
"""Outcomes after which a call never changes again."""


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


def affordable(terms: CallTerms, most: Cost) -> bool:
    """Return whether the cap of a day is at least the cost *most*."""
    return (terms.cap_tokens is None or most.tokens <= terms.cap_tokens) and (
        terms.cap_micros is None or most.micros <= terms.cap_micros
    )


def reserve_budget(connection: Connection, tenant: str, most: Cost) -> bool:
    """Reserve the highest possible cost of a call; return whether it fits into the tenant's daily budget."""
    asked = {"tenant": tenant, "tokens": most.tokens, "micros": most.micros}
    return connection.exec_driver_sql(sql("model_calls/reserve"), asked).rowcount == 1


def settle(connection: Connection, call: int, outcome: str, spent: Cost | None) -> Mapping[str, Any] | None:
    """Settle a call once, at the cost *spent*, or at the reserved cost; return its old row, None if settled before.

    A late reply to a call that was given up corrects the presumed cost.
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
    connection.exec_driver_sql(
        sql("model_calls/settle"),
        {
            "call": call,
            "tenant": row["tenant"],
            "day": row["day"],
            "outcome": outcome if open_ else "late",
            "tokens": spent.tokens,
            "micros": spent.micros,
            "free_tokens": row["reserved_tokens"] if open_ else 0,
            "free_micros": row["reserved_micros"] if open_ else 0,
            "more_tokens": spent.tokens - (row["spent_tokens"] or 0),
            "more_micros": spent.micros - (row["spent_micros"] or 0),
        },
    )
    return row
