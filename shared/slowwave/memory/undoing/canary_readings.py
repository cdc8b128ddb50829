"""The readings of a canary in scopes, by runs and by replays, and the part of each scope that a roll-back replays."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from slowwave.domain.canary import StoredCanary
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.memory.undoing.replaying import Part
from slowwave.store import canaries as stored
from slowwave.store.canaries import CanaryRun, ReplayInForce
from slowwave.store.undo.targets import UNDO_OF
from slowwave.wiring import Parts

_ORDER = re.compile(r"the (?P<kind>replay|roll-back) of (?P<pack>[^@\s]+)@(?P<version>\d+)(?: to the rules of \S+)?")
Effect = Literal["reads", "takes back", "restores"]
"""The effect of an order: a version reads a whole scope, or what it read is taken back, or restored after that."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The reading of one scope by a canary, in *runs* and in replays. A roll-back replays this *part* of the scope.

    The part leaves out what a full replay by another version has decided again since. If this replay is itself by a
    canary, or if another roll-back lies between, *problem* and *hint* say why the canary cannot be rolled back here.
    """

    runs: int
    part: Part
    problem: str = ""
    hint: str = ""

    @property
    def is_replayed(self) -> bool:
        """Return whether a replay by the canary is in force, which a roll-back takes back."""
        return bool(self.part.lifts)

    def possible(self) -> Part:
        """Return the part to replay. Raises `Incorrect` if the canary cannot be rolled back in this scope yet."""
        if self.problem:
            raise Incorrect(self.problem, hint=self.hint)
        return self.part


def readings(
    parts: Parts, tenant: str, canary: StoredCanary, installed: int, scope: Scope | None = None
) -> dict[Scope, Reading]:
    """Return what a canary has read in each scope of a tenant, or in one *scope*. *installed* is a version.

    Reads the tenant's runs and its orders to undo once.
    """
    one = None if scope is None else scope.id
    with parts.database.tenant(tenant) as connection:
        runs = stored.read_by(connection, canary.pack, canary.version, one)
        replays = stored.replays_in_force(connection, one)
    orders = defaultdict[Scope, list[ReplayInForce]](list)
    for replay in replays:
        orders[replay.scope].append(replay)
    every = {where: _reading(canary, installed, runs.get(where, ()), orders[where]) for where in [*runs, *orders]}
    return {where: reading for where, reading in sorted(every.items()) if reading is not None}


def _reading(
    canary: StoredCanary, installed: int, runs: Sequence[CanaryRun], orders: Sequence[ReplayInForce]
) -> Reading | None:
    """Return what a canary has read in a scope, from its *runs* and the replays in force (*orders*), latest first."""
    known = [(order, *found) for order in orders if (found := _effect(order.what, canary.pack))]
    own = [order for order, effect, version in known if version == canary.version and effect != "takes back"]
    others = [one for one in known if one[2] != canary.version]
    if not runs and not own:
        return None
    last = next((one for one in others if one[1] != "takes back"), None)
    covering = last[0].run if last else 0
    lifts = [order for order in own if order.run > covering]
    hidden = min([*(one.run for one in runs), *(order.run for order in own)]) < covering
    read = {position for one in runs if one.run > covering for position in range(one.lo, one.hi + 1)}
    part = Part(frozenset(read), [order.undo for order in lifts])
    between = [
        one for one in others if one[1] == "takes back" and any(one[0].run > order.run > covering for order in own)
    ]
    if last and hidden and (last[1] == "restores" or last[2] > installed):
        return Reading(len(runs), part, *_hidden_by(canary, *last))
    if between:
        return Reading(len(runs), part, *_hidden_by(canary, *between[0]))
    return Reading(len(runs), part)


def _effect(what: str, pack: str) -> tuple[Effect, int] | None:
    """Return the effect of an order in force on what versions of *pack* have read, with the version.

    The undo of a replay has no effect of its own: it leaves what was read before the replay.
    """
    order = _ORDER.fullmatch(what.removeprefix(UNDO_OF * (undone := what.count(UNDO_OF))))
    if order is None or order["pack"] != pack:
        return None
    even, version = undone % 2 == 0, int(order["version"])
    if order["kind"] == "replay":
        return ("reads", version) if even else None
    return ("takes back" if even else "restores", version)


def _hidden_by(canary: StoredCanary, order: ReplayInForce, effect: Effect, version: int) -> tuple[str, str]:
    """Return the problem and the hint of a scope in which a later *order* lies over what *canary* has read."""
    later, again = f"{canary.pack}@{version}", f"then roll {canary.pack}@{canary.version} back again"
    if effect == "reads":
        return (
            f"{later} has replayed what {canary.pack}@{canary.version} read, which is believed again without {later}",
            f"if {later} is not to stay, roll {later} back first, and {again}",
        )
    return (
        f"{order.what} came later, and {canary.pack}@{canary.version} had replayed the scope before",
        f"let the installed version read the scope again: `slowwave replay {canary.pack} --user NAME --apply`",
    )
