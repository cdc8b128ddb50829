"""The steps of an erasure: store the order to erase, then carry it out.

A repeated call finishes an interrupted erasure.
"""

import time
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from slowwave.domain.erasure import Erasure, Wanted
from slowwave.errors import Unavailable
from slowwave.memory.due_work import POLL_SECONDS
from slowwave.memory.erasing.outside_the_database import (
    forget_outside_the_database,
    forget_pages,
    require_deletable_pages,
    rewrite_log,
)
from slowwave.runtime import clock
from slowwave.store.erasure import orders
from slowwave.store.erasure.erasing import Order, erase_scope
from slowwave.store.erasure.removing import rewrite
from slowwave.store.fingerprints import known_fingerprinter
from slowwave.store.night_report import lock_out_pages, night_on
from slowwave.store.retention.legal_holds import any_in_force
from slowwave.wiring import Parts, secret


def forget(
    parts: Parts, tenant: str, wanted: Wanted, *, preview: bool, confirm: str | None, learn_again: bool,
    rewriting: bool, timeout: float,
) -> Erasure:  # fmt: skip
    """Erase the *wanted* memories, or preview the erasure; return the receipt. See `Memory.forget`."""
    if preview:
        return _preview(parts, tenant, wanted)
    require_no_copy(parts, tenant)
    require_deletable_pages(parts, tenant)
    elsewhere = forget_outside_the_database(parts, tenant, wanted, removing=False)
    with parts.database.long(tenant) as connection:
        erasure = orders.ordered(
            connection, wanted, tenant, confirm=confirm, learn_again=learn_again, otherwise=parts.settings.tenant,
            elsewhere=bool(elsewhere.counts),
        )  # fmt: skip
    with parts.database.tenant(tenant) as connection:
        talks = orders.conversations_of(connection, erasure)
    outside = forget_outside_the_database(parts, tenant, wanted, talks)
    _carry_out(parts, tenant, erasure, wanted, clock.monotonic() + timeout)
    require_no_copy(parts, tenant)  # a move may have begun meanwhile
    with parts.database.long(tenant) as connection:
        lock_out_pages(connection)
        page_of = partial(night_on, connection, tenant) if any_in_force(connection) else None
        pages = forget_pages(parts, tenant, page_of)
        orders.finish(connection, erasure, wanted, outside.counts + pages)
        if outside.searched:
            orders.searched(connection, erasure)
    if rewriting:
        rewrite_erased(parts, tenant)
    return receipt(parts, tenant, erasure)


def require_no_copy(parts: Parts, tenant: str) -> None:
    """Raise `Conflict` if another database may have hidden rows of *tenant*, which an erasure would not reach."""
    if parts.cells is not None:
        parts.cells.require_no_copy(tenant)


def _preview(parts: Parts, tenant: str, wanted: Wanted) -> Erasure:
    elsewhere = forget_outside_the_database(parts, tenant, wanted, removing=False)
    with parts.database.long(tenant) as connection:
        seen, talks = orders.preview_of(
            connection, wanted, tenant, otherwise=parts.settings.tenant, elsewhere=bool(elsewhere.counts)
        )
    outside = forget_outside_the_database(parts, tenant, wanted, talks, removing=False)
    if not (seen.scopes or any(seen.counts.values()) or outside.counts):
        raise orders.nothing_found()
    pages = Counter(reports=require_deletable_pages(parts, tenant))
    return replace(seen, counts={**seen.counts, **outside.counts, **+pages})


def rewrite_erased(parts: Parts, tenant: str) -> int:
    """Do the pending rewrites of tables, statistics and log after erasures; return the number of finished erasures.

    Returns 0 if the URL of the database's owner is unknown.
    """
    if owner_of(parts) is None:
        return 0
    with parts.database.tenant(tenant) as connection:
        waiting, touched = orders.to_rewrite(connection)
    if not waiting:
        return 0
    rewrite_tables(parts, touched)
    if parts.broker_url is not None and parts.services is not None:
        rewrite_log(parts.broker_url)
    with parts.database.tenant(tenant) as connection:
        orders.rewritten(connection, waiting)
    return len(waiting)


def owner_of(parts: Parts) -> str | None:
    """Return the URL of the database's owner, or None if it is unknown."""
    return secret(parts.settings.owner_url) if parts.services is None else parts.services.owner_url


def rewrite_tables(parts: Parts, touched: Sequence[str] | None = None) -> bool:
    """Rewrite all tables with words, of partitions only those *touched*; return False if the owner is unknown."""
    if (owner_url := owner_of(parts)) is None:
        return False
    rewrite(owner_url, touched, wal=parts.services is not None)
    return True


def receipt(parts: Parts, tenant: str, erasure: uuid.UUID) -> Erasure:
    """Return the receipt of an erasure."""
    with parts.database.tenant(tenant) as connection:
        return orders.receipt_of(connection, erasure)


def receipts(parts: Parts, tenant: str, limit: int) -> list[Erasure]:
    """Return the latest receipts of a tenant, newest first."""
    with parts.database.tenant(tenant) as connection:
        return [orders.receipt_of(connection, each) for each in orders.latest(connection, most=limit)]


def verify(parts: Parts, tenant: str, given: Erasure) -> bool:
    """Return whether this tenant's key signed the receipt, and nobody changed the receipt since."""
    with parts.database.tenant(tenant) as connection:
        return known_fingerprinter(connection) is not None and orders.is_ours(connection, given)


def _carry_out(parts: Parts, tenant: str, erasure: uuid.UUID, wanted: Wanted, end: float) -> None:
    with parts.database.tenant(tenant) as connection:
        order, left = orders.order_of(connection, erasure, wanted), orders.pending(connection, erasure)
    for scope in left:
        while not _erased(parts, tenant, scope, order):
            if clock.monotonic() >= end:
                raise Unavailable(
                    "a worker still holds a scope that this erasure has to change",
                    hint="repeat the call to finish the erasure; `slowwave status` shows the worker",
                )
            time.sleep(POLL_SECONDS)


def _erased(parts: Parts, tenant: str, scope: uuid.UUID, order: Order) -> bool:
    with parts.database.long(tenant) as connection:
        return erase_scope(connection, scope, tenant, order)
