"""The replay of a pack in many scopes of a tenant: one order, and one transaction per scope."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from slowwave.domain.scope import Scope
from slowwave.domain.undo import Skipped, Undone
from slowwave.errors import Conflict, Incorrect, NotFound, SlowwaveError
from slowwave.memory.dry_runs import AnyPack
from slowwave.memory.undoing.replaying import (
    Held,
    followed,
    installed_pack,
    order_for,
    patiently,
    previewed,
    replayed,
)
from slowwave.memory.undoing.work import finish_interrupted
from slowwave.runtime import clock
from slowwave.store.undo.orders import Order
from slowwave.store.undo.refolding import readers
from slowwave.wiring import Parts


def replay_all(
    parts: Parts, tenant: str, pack: str, *, by: str | None, reason: str, preview: bool, timeout: float
) -> Undone:
    """Replay a pack in every scope of a tenant in which the pack has read; see `Memory.replay`."""
    one = installed_pack(parts, pack)
    return replay_in(parts, tenant, scopes_read_by(parts, tenant, one.pack), one, by=by, reason=reason,
                     preview=preview, timeout=timeout)  # fmt: skip


def scopes_read_by(parts: Parts, tenant: str, pack: str) -> list[Scope]:
    """Return the scopes of a tenant in which *pack* has read an episode. Raises `Incorrect` if there is none."""
    with parts.database.tenant(tenant) as connection:
        found = readers(connection, pack)
    if not found:
        raise Incorrect(
            f"the pack {pack!r} has read nothing in the tenant {tenant!r}", hint="`slowwave status` shows what waits"
        )
    return found


def replay_in(
    parts: Parts, tenant: str, scopes: Sequence[Scope], pack: AnyPack, *, by: str | None, reason: str,
    preview: bool, timeout: float,
) -> Undone:  # fmt: skip
    """Replay *pack* in each of *scopes*, in one transaction per scope; return the changes of all scopes together.

    All scopes share one order. The result names the skipped scopes: those that cannot be replayed, and those that a
    worker still holds after *timeout* seconds.
    """
    order, end = order_for(pack, by, reason), clock.monotonic() + timeout
    if not preview:
        finish_interrupted(parts, tenant, end)
    changes: list[Undone] = []
    skipped: dict[Scope, Skipped] = {}

    def attempt(scope: Scope) -> None:
        if preview:
            changes.append(previewed(parts, scope, pack, order))
        else:
            replayed(parts, scope, pack, order)

    busy = [scope for scope in scopes if not _is_settled(scope, attempt, skipped)]
    for scope in busy:
        try:
            patiently(parts, scope, pack, end, lambda: attempt(scope))  # noqa: B023  # called at once
        except (Incorrect, NotFound, Held) as error:
            skipped[scope] = _skipped(scope, error)
    done = _together(order, changes) if preview else followed(parts, tenant, order)
    return replace(done, skipped=tuple(skipped[scope] for scope in scopes if scope in skipped))


def _is_settled(scope: Scope, attempt: Callable[[Scope], None], skipped: dict[Scope, Skipped]) -> bool:
    """Replay one scope, or note why it is *skipped*; return False if a worker holds the scope."""
    try:
        attempt(scope)
    except Conflict:
        return False
    except (Incorrect, NotFound) as error:
        skipped[scope] = _skipped(scope, error)
    return True


def _skipped(scope: Scope, error: SlowwaveError) -> Skipped:
    return Skipped(scope, error.message, error.hint or "")


def _together(order: Order, changes: Sequence[Undone]) -> Undone:
    """Return the previews of several scopes as one preview."""
    return Undone(
        order.what, order.by, order.reason, preview=True,
        withdrawn=tuple(one for each in changes for one in each.withdrawn),
        restored=tuple(one for each in changes for one in each.restored),
        changed=tuple(one for each in changes for one in each.changed),
        built_on=tuple(one for each in changes for one in each.built_on),
        scopes=tuple(sorted(scope for each in changes if each.changes_beliefs for scope in each.scopes)),
    )  # fmt: skip
