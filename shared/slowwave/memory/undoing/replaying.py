"""The steps of a replay.

A plan compares a pack's earlier claims with its present claims. One transaction then carries out the plan.
"""

import re
import time
import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from slowwave.core.late_arrivals.late_claims import Swap, swap
from slowwave.core.late_arrivals.placement import Refolded
from slowwave.domain.scope import Scope
from slowwave.domain.undo import UNNAMED, Undone
from slowwave.errors import Conflict, Incorrect, Unavailable
from slowwave.formatting import counted
from slowwave.jobs.dry_run import claims_of
from slowwave.memory.dry_runs import AnyPack, in_force, installed
from slowwave.memory.due_work import POLL_SECONDS
from slowwave.memory.undoing.asking import Asking, material
from slowwave.memory.undoing.work import finish_interrupted, follow
from slowwave.runtime import clock
from slowwave.store.beliefs.affected_facts import derivation
from slowwave.store.canaries import hold_verdicts, version_in
from slowwave.store.undo import orders
from slowwave.store.undo import orders as outcome
from slowwave.store.undo.orders import Order
from slowwave.store.undo.refolding import (
    PackClaims,
    Read,
    carry_out_replay,
    embedded,
    lifted_replays,
    pack_claims,
    read,
    refolded,
)
from slowwave.store.undo.targets import Places, Target, with_derived
from slowwave.store.work_queue import leases
from slowwave.wiring import Parts, owner_name

T = TypeVar("T")
VERSIONED = re.compile(r"(?P<name>[^@\s]+)@(?P<version>\d+)")
"""A pack with its version."""
_AGAIN = "repeat the replay; `slowwave status` shows the worker"


class ScopeLocked(Unavailable):
    """A replay waited for a worker that still holds the scope."""


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a scope to replay: its *positions*, after the replays *lifts*, newest first, are taken back."""

    positions: Collection[int]
    lifts: Sequence[uuid.UUID] = ()


@dataclass(frozen=True, slots=True)
class _Plan:
    """The plan of a replay.

    *order* and *target* say what to undo, *seen* is the history that was read for the plan, and *found* has the
    changes.
    """

    order: Order
    target: Target
    seen: Read
    found: Refolded


def replay(
    parts: Parts, scope: Scope, pack: str, *, by: str | None, reason: str, preview: bool, ask: bool, timeout: float
) -> Undone:
    """Replace a pack's earlier claims with its present claims; see `MemoryScope.replay`."""
    one = pack_for(parts, pack, scope)
    order, end = order_for(one, by, reason), clock.monotonic() + timeout
    if ask:
        ask_for_replies(Asking.within(parts, timeout), scope, one)
    if preview:
        return patiently(parts, scope, one, end, lambda: previewed(parts, scope, one, order))
    finish_interrupted(parts, scope.tenant, end)
    if not patiently(parts, scope, one, end, lambda: replayed(parts, scope, one, order)):
        return unchanged(order, scope)
    return followed(parts, scope.tenant, order)


def ask_for_replies(asking: Asking, scope: Scope, pack: AnyPack) -> None:
    """Ask a model for the replies that the replay of *scope* lacks. Errors as in `Asking.ask`."""
    patiently(asking.parts, scope, pack, asking.end, lambda: asking.ask(scope, pack))


def followed(parts: Parts, tenant: str, order: Order) -> Undone:
    """Return the outcome of a replay that is carried out, after the jobs that follow from it."""
    with parts.database.tenant(tenant) as connection:
        if not orders.is_stored(connection, order.id):
            return unchanged(order)
        done = outcome.outcome(connection, orders.order_of(connection, order.id))
    follow(parts, done.scopes)
    return done


def order_for(pack: AnyPack, by: str | None, reason: str, *, what: str = "replay") -> Order:
    """Return a new order for the replay of *pack*, or for *what* else."""
    return Order(uuid.uuid4(), f"the {what} of {pack.pack}@{pack.version}", by or UNNAMED, reason, replays=True)


def unchanged(order: Order, *scopes: Scope, preview: bool = False) -> Undone:
    return Undone(order.what, order.by, order.reason, scopes=scopes, preview=preview)


def patiently(parts: Parts, scope: Scope, pack: AnyPack, end: float, attempt: Callable[[], T]) -> T:
    """Repeat *attempt* until no worker holds *scope*; return its result. Raises `Held` at the time *end*."""
    while True:
        try:
            return attempt()
        except Conflict as error:
            if clock.monotonic() >= end:
                raise ScopeLocked(
                    f"{pack.pack} cannot be replayed in {scope.key} yet: {error.message}", hint=_AGAIN
                ) from None
            _wait(parts, scope, end)


def _wait(parts: Parts, scope: Scope, end: float) -> None:
    """Wait until no worker holds *scope*, or until the time *end*.

    A replay that does not wait would read all episodes and then fail.
    """
    while True:
        time.sleep(POLL_SECONDS)
        with parts.database.tenant(scope.tenant) as connection:
            if leases.open_scope(connection, scope.id) is not None or clock.monotonic() >= end:
                return


def pack_for(parts: Parts, wanted: str, scope: Scope | None = None) -> AnyPack:
    """Return the pack with the *wanted* name that reads in *scope*: its canary, or the installed pack.

    Without a scope, the result is the installed pack, or a canary if its version is wanted. Raises `Incorrect` if
    another version is wanted.
    """
    asked, here = VERSIONED.fullmatch(wanted), in_force(installed(parts))
    name = asked["name"] if asked else wanted
    if name not in here:
        raise Incorrect(
            f"no pack {name!r} is installed, and only an installed pack can be replayed for good",
            hint=f"put its folder under SLOWWAVE_RULES; installed packs: {', '.join(sorted(here))}",
        )
    version = int(asked["version"]) if asked else None
    canary = parts.canaries.get(name)
    if scope is not None:
        found = _reading(parts, scope, here[name], canary.pack if canary else None)
    else:
        found = canary.pack if canary and canary.pack.version == version else here[name]
    if version not in (None, found.version):
        raise Incorrect(
            f"{name}@{version} is not installed: {name} has version {found.version} here",
            hint="put the folder of that version under SLOWWAVE_RULES; without --apply, any folder can be compared",
        )
    return found


def _reading(parts: Parts, scope: Scope, installed: AnyPack, canary: AnyPack | None) -> AnyPack:
    with parts.database.tenant(scope.tenant) as connection:
        version = version_in(connection, scope.id, installed.pack)
    found = [one for one in (installed, canary) if one and version in (None, one.version)]
    if not found:
        raise Incorrect(
            f"{installed.pack}@{version} reads in {scope.key} as a canary, and is not loaded here",
            hint="put the folder of the canary here, as on the hosts of the workers",
        )
    return found[0]


def previewed(parts: Parts, scope: Scope, pack: AnyPack, order: Order, only: Part | None = None) -> Undone:
    """Return the changes that a replay would make in a scope. Raises `Conflict` if a decision was made meanwhile."""
    plan = _planned(parts, scope, pack, order, only)
    if plan is None:
        return unchanged(order, scope, preview=True)
    with parts.database.tenant(scope.tenant) as connection:
        sides = {scope.id: (plan.found.before, plan.found.after)}
        return outcome.undo_outcome(connection, order, plan.target.every, sides, {scope.id: scope}, preview=True)


def replayed(parts: Parts, scope: Scope, pack: AnyPack, order: Order, only: Part | None = None) -> bool:
    """Try a replay of a scope once; return whether it wrote anything. *only* is the part to replay; None for all.

    Raises `Conflict` if a worker holds the scope, or made a decision there meanwhile. Raises `Incorrect` if *pack* is a
    canary that does not read in the scope any more.
    """
    plan = _planned(parts, scope, pack, order, only)
    if plan is None:
        return False
    vectors = embedded(plan.found, parts.embedder_for(scope), parts.registry)
    with parts.database.long(scope.tenant) as connection:
        if installed(parts)[pack.pack].version != pack.version:
            hold_verdicts(connection)
            _refuse_unless_read_by(version_in(connection, scope.id, pack.pack), scope, pack)
        carry_out_replay(
            connection, scope, plan.order, plan.target, plan.seen, plan.found, vectors, owner=owner_name("replay")
        )
    return True


def _refuse_unless_read_by(version: int | None, scope: Scope, canary: AnyPack) -> None:
    if version != canary.version:
        raise Incorrect(
            f"{canary.pack}@{canary.version} does not read in {scope.key} any more",
            hint="`slowwave canary` shows what was decided; nothing was written here",
        )


def _planned(parts: Parts, scope: Scope, pack: AnyPack, order: Order, only: Part | None) -> _Plan | None:
    """Return the plan of a replay; None if nothing would change.

    Raises `Incorrect` if a model's replies are missing, or if the words behind a belief were erased.
    """
    with parts.database.long(scope.tenant, frozen=True) as connection:
        lifted = lifted_replays(connection, scope.id, only.lifts if only else ())
        known = pack_claims(connection, scope, pack.pack, without=lifted)
    change = _swap(parts, scope, pack, known, None if only is None else only.positions)
    if not change.gone and not change.fresh and not lifted.ids:
        return None
    gone: Places = {id_: entry.place for entry in change.gone for id_ in entry.ids if entry.place}
    order = replace(order, lifts=lifted.ids)
    with parts.database.long(scope.tenant, frozen=True) as connection:
        out = with_derived(connection, {scope.id: {**lifted.added, **gone}})[scope.id]
        back = {claim: place for claim, place in lifted.back.items() if claim not in out}
        seen = read(connection, scope.id, order, out, back, fresh=change.fresh)
    if seen.last != known.last:
        raise Conflict("something was decided in the scope meanwhile")
    found = refolded(seen, order, parts.registry, fresh=change.fresh, erased=known.erased)
    if found.unsure:
        raise Incorrect(
            f"{counted(len(found.unsure), 'beliefs')} of {scope.key} cannot be decided again: words behind them were "
            "erased",
            hint="nothing was written; undo or correct single facts instead",
        )
    if not out and not found.decisions and not lifted.ids:
        return None
    target = Target(order.what, {scope.id: out}, back={scope.id: back}, added={scope.id: [*found.added, *back]})
    return _Plan(order, target, seen, found)


def _swap(parts: Parts, scope: Scope, pack: AnyPack, known: PackClaims, only: Collection[int] | None) -> Swap:
    read = material(parts, scope, pack, known)
    if read.missing:
        raise Incorrect(
            f"{counted(len(read.missing), 'requests')} of {pack.pack}@{pack.version} to the model have no reply yet",
            hint=f"`slowwave replay {pack.pack} --user {scope.user}` says what they cost, and --ask (in Python and "
            "over HTTP, `ask`) asks the model; nothing was written",
        )
    claims = claims_of([read.extractor], read.episodes, parts.registry, window=parts.settings.window)
    return swap(
        known.recorded, claims, occurred=read.occurred, settled=known.settled, pack=pack.pack,
        derive=derivation(scope.id, pack.pack), number=known.number, only=only,
    )  # fmt: skip
