"""The steps of an erasure: the order is stored first, then carried out; a repeat finishes what was interrupted."""

import time
import uuid

from sqlalchemy import Connection

from slowwave import clock
from slowwave.domain.erasure.request import Erasure, Wanted
from slowwave.errors import Conflict, NotFound, Unavailable
from slowwave.memory.erasing.beside import conversations_of, forget_beside
from slowwave.memory.erasing.broker import rewrite_log
from slowwave.memory.work import POLL_SECONDS
from slowwave.settings import secret
from slowwave.store.database import engine
from slowwave.store.erasure import orders
from slowwave.store.erasure.erasing import Order, erase_scope
from slowwave.store.erasure.rewriting import rewrite
from slowwave.store.erasure.targets import held, targets_of
from slowwave.store.fingerprints import known_fingerprinter
from slowwave.wiring import Parts


def forget(
    parts: Parts,
    tenant: str,
    wanted: Wanted,
    *,
    preview: bool,
    confirm: str | None,
    learn_again: bool,
    rewriting: bool,
    timeout: float,
) -> Erasure:
    """Forget what is *wanted* for good, or preview it; see `Memory.forget`."""
    if preview:
        with parts.database.long(tenant) as connection:
            _require_tenant(connection)
            return orders.preview_of(connection, wanted)
    with parts.database.long(tenant) as connection:
        _require_tenant(connection)
        erasure = orders.unfinished(connection, wanted) or _ordered(
            parts, connection, wanted, tenant, confirm=confirm, learn_again=learn_again
        )
    with parts.database.tenant(tenant) as connection:
        talks = conversations_of(connection, erasure)
    searched = forget_beside(parts, tenant, wanted, talks)
    _carry_out(parts, tenant, erasure, clock.monotonic() + timeout)
    with parts.database.tenant(tenant) as connection:
        orders.finish(connection, erasure, wanted)
        if searched:
            orders.searched(connection, erasure)
    if rewriting:
        rewrite_erased(parts, tenant)
    return receipt(parts, tenant, erasure)


def rewrite_erased(parts: Parts, tenant: str) -> int:
    """Do the second step of all erasures of a tenant that wait for it; return how many, 0 where no owner is known."""
    owner_url = secret(parts.settings.owner_url) if parts.services is None else parts.services.owner_url
    if owner_url is None:
        return 0
    with parts.database.tenant(tenant) as connection:
        waiting, touched = orders.to_rewrite(connection)
    if not waiting:
        return 0
    owner = engine(owner_url, pool_size=1)
    try:
        rewrite(owner, touched, wal=parts.services is not None)
    finally:
        owner.dispose()
    if parts.broker_url is not None and parts.services is not None:
        rewrite_log(parts.broker_url)
    with parts.database.tenant(tenant) as connection:
        orders.rewritten(connection, waiting)
    return len(waiting)


def receipt(parts: Parts, tenant: str, erasure: uuid.UUID) -> Erasure:
    """Return the receipt of an erasure."""
    with parts.database.tenant(tenant) as connection:
        return orders.receipt_of(connection, erasure)


def receipts(parts: Parts, tenant: str, limit: int) -> list[Erasure]:
    """Return the latest receipts of a tenant, newest first."""
    with parts.database.tenant(tenant) as connection:
        return [orders.receipt_of(connection, each) for each in orders.latest(connection, most=limit)]


def verify(parts: Parts, tenant: str, given: Erasure) -> bool:
    """Return whether a receipt is one that this tenant's key has signed, unchanged."""
    with parts.database.tenant(tenant) as connection:
        return known_fingerprinter(connection) is not None and orders.is_ours(connection, given)


def _require_tenant(connection: Connection) -> None:
    if known_fingerprinter(connection) is None:
        raise NotFound("nothing is remembered of that", hint="the tenant has no memories")


def _ordered(
    parts: Parts, connection: Connection, wanted: Wanted, tenant: str, *, confirm: str | None, learn_again: bool
) -> uuid.UUID:
    """Store an order, or return the one that removed all of it before. Raises `NotFound` and `Conflict`."""
    try:
        targets = targets_of(connection, wanted)
    except NotFound:
        if (before := orders.latest_of(connection, wanted)) is not None:
            return before
        raise
    if held(connection, targets):
        raise Conflict(
            "a legal hold covers what is to be forgotten", hint="`slowwave archive holds` says which, and why"
        )
    if confirm is not None and confirm != orders.token_of(connection, targets):
        raise Conflict("something else would go now than was shown", hint="look at the preview again, and confirm that")
    return orders.place_order(
        connection, wanted, targets, tenant, learn_again=learn_again, otherwise=parts.settings.tenant
    )


def _carry_out(parts: Parts, tenant: str, erasure: uuid.UUID, end: float) -> None:
    with parts.database.tenant(tenant) as connection:
        order, left = orders.order_of(connection, erasure), orders.pending(connection, erasure)
    for scope in left:
        while not _erased(parts, tenant, scope, order):
            if clock.monotonic() >= end:
                raise Unavailable(
                    "a worker still holds a scope of which something is to be forgotten",
                    hint="ask for the same again: that finishes it; `slowwave status` shows who works there",
                )
            time.sleep(POLL_SECONDS)


def _erased(parts: Parts, tenant: str, scope: uuid.UUID, order: Order) -> bool:
    with parts.database.long(tenant) as connection:
        return erase_scope(connection, scope, tenant, order)
