"""The replay of a pack in many scopes of a tenant: one order, and one transaction per scope."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from slowwave.domain.scope import Scope
from slowwave.domain.undo import Skipped, Undone
from slowwave.errors import Conflict, Incorrect, NotFound, SlowwaveError
from slowwave.memory.dry_runs import AnyPack
from slowwave.memory.undoing.asking import Asking, RepliesAwaited
from slowwave.memory.undoing.replaying import (
    Part,
    ScopeLocked,
    ask_for_replies,
    followed,
    order_for,
    pack_for,
    patiently,
    previewed,
    replayed,
)
from slowwave.memory.undoing.work import finish_interrupted
from slowwave.runtime import clock
from slowwave.store.undo.orders import Order
from slowwave.store.undo.refolding import readers
from slowwave.wiring import Parts

PartOf = Callable[[Scope], Part | None]
"""A function that returns the part of a scope to replay; None for all of it. `Incorrect` skips the scope."""


def _all_positions(_scope: Scope) -> None:
    return None


def replay_all(
    parts: Parts, tenant: str, pack: str, *, by: str | None, reason: str, preview: bool, ask: bool, timeout: float
) -> Undone:
    """Replay a pack in every scope of a tenant in which the pack has read; see `Memory.replay`."""
    one, end = pack_for(parts, pack), clock.monotonic() + timeout
    scopes, elsewhere = scopes_to_replay(parts, tenant, one)
    awaited = ask_in(Asking.within(parts, timeout), scopes, one) if ask else {}
    done = replay_in(
        parts, tenant, [scope for scope in scopes if scope not in awaited], one, order_for(one, by, reason),
        preview=preview, timeout=max(0.0, end - clock.monotonic()),
    )  # fmt: skip
    return replace(done, skipped=(*done.skipped, *awaited.values(), *elsewhere))


def scopes_to_replay(parts: Parts, tenant: str, one: AnyPack) -> tuple[list[Scope], list[Skipped]]:
    """Return the scopes that the replay of a pack covers, and those that it skips because of a canary.

    The replay of the installed version skips the scopes in which a canary reads. The replay of a canary covers only the
    scopes in which the canary reads.
    """
    found = scopes_read_by(parts, tenant, one.pack)
    canary = parts.canaries.get(one.pack)
    fits = (one.version,) if canary and canary.pack.version == one.version else (None, one.version)
    scopes = [scope for scope, version in found.items() if version in fits]
    others = {scope: version for scope, version in found.items() if version not in fits and None in fits}
    elsewhere = [
        Skipped(scope, f"{one.pack}@{version} reads here as a canary", "roll the canary back, or replay its version")
        for scope, version in others.items()
    ]
    return scopes, elsewhere


def ask_in(asking: Asking, scopes: Sequence[Scope], pack: AnyPack) -> dict[Scope, Skipped]:
    """Ask a model for the replies that the replays of *scopes* lack; return the scopes that still lack some."""
    left: dict[Scope, Skipped] = {}
    for scope in scopes:
        try:
            ask_for_replies(asking, scope, pack)
        except (Incorrect, NotFound, RepliesAwaited, ScopeLocked) as error:
            left[scope] = _skipped(scope, error)
    return left


def scopes_read_by(parts: Parts, tenant: str, pack: str) -> dict[Scope, int | None]:
    """Return the scopes of a tenant in which *pack* has read an episode, each with the version of its canary, or None.

    Raises `Incorrect` if there is none.
    """
    with parts.database.tenant(tenant) as connection:
        found = readers(connection, pack)
    if not found:
        raise Incorrect(
            f"the pack {pack!r} has read nothing in the tenant {tenant!r}", hint="`slowwave status` shows what waits"
        )
    return found


def replay_in(
    parts: Parts, tenant: str, scopes: Sequence[Scope], pack: AnyPack, order: Order, *, preview: bool, timeout: float,
    only: PartOf = _all_positions,
) -> Undone:  # fmt: skip
    """Replay *pack* in each of *scopes*, in one transaction per scope; return the changes of all scopes together.

    All scopes share one *order*. The result names the skipped scopes: those that cannot be replayed, and those that a
    worker still holds after *timeout* seconds. *only* returns the part to replay; if a worker reads more of a scope
    during its replay, the result names the scope, too.
    """
    end = clock.monotonic() + timeout
    _ = parts.registry  # an invalid pack or canary is refused at once, and not scope by scope
    if not preview:
        finish_interrupted(parts, tenant, end)
    changes: list[Undone] = []
    skipped: dict[Scope, Skipped] = {}

    def attempt(scope: Scope) -> None:
        if preview:
            return changes.append(previewed(parts, scope, pack, order, only(scope)))
        part = only(scope)
        replayed(parts, scope, pack, order, part)
        left = only(scope)
        if part and left and (left.lifts or left.positions != part.positions):
            raise ScopeLocked(f"a worker read {scope.key} meanwhile", hint="repeat the command to finish it")

    busy = [scope for scope in scopes if not _is_settled(scope, attempt, skipped)]
    for scope in busy:
        try:
            patiently(parts, scope, pack, end, lambda: attempt(scope))  # noqa: B023  # called at once
        except (Incorrect, NotFound, ScopeLocked) as error:
            skipped[scope] = _skipped(scope, error)
    done = _together(order, changes) if preview else followed(parts, tenant, order)
    return replace(done, skipped=tuple(skipped[scope] for scope in scopes if scope in skipped))


def _is_settled(scope: Scope, attempt: Callable[[Scope], None], skipped: dict[Scope, Skipped]) -> bool:
    """Replay one scope, or note why it is *skipped*; return False if a worker holds the scope."""
    try:
        attempt(scope)
    except Conflict:
        return False
    except (Incorrect, NotFound, ScopeLocked) as error:
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
