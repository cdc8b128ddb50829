"""Canaries of packs: their comparison with the installed version, their promotion and their roll-back."""

from collections.abc import Sequence
from dataclasses import replace

from slowwave.domain.arguments import Name, Note, Timeout, checked
from slowwave.domain.canary import CanaryStatus, DecidedCanary, StoredCanary, Verdict
from slowwave.domain.scope import Scope
from slowwave.domain.undo import UNNAMED, Skipped, Undone
from slowwave.errors import Incorrect
from slowwave.memory.dry_runs import AnyPack, installed
from slowwave.memory.undoing.canary_readings import readings
from slowwave.memory.undoing.every_scope import replay_in
from slowwave.memory.undoing.replaying import VERSIONED, Part, order_for
from slowwave.memory.verb_group import TenantVerbs
from slowwave.store import canaries as stored
from slowwave.store.undo.orders import Order
from slowwave.store.undo.refolding import readers
from slowwave.wiring import Parts


class Canaries(TenantVerbs):
    """The canaries of the packs: new versions that read in a share of the scopes of all tenants."""

    @checked
    def listing(self) -> list[StoredCanary]:
        """Return the present and past canaries of all packs: declared ones first, then the latest version first."""
        with self._parts.database.dispatch() as connection:
            return stored.known(connection)

    @checked
    def status(self, pack: Name, *, tenant: Name | None = None) -> CanaryStatus:
        """Return how the canary of *pack* has read in a tenant, compared with the installed version. Writes nothing.

        *pack* is a name, or NAME@VERSION for an earlier canary. Raises `Incorrect` if the pack never had this canary.
        """
        name, parts = self._tenant(tenant), self._at(tenant)
        canary, here, undecided = _found(parts, pack)
        found = readings(parts, name, canary, here.version)
        with parts.database.tenant(name) as connection:
            shared = stored.shared(connection, canary.pack, canary.version)
        order = order_for(here, None, "", what="comparison")
        difference = replay_in(
            parts, name, [*found], here, order, preview=True, timeout=0, only=lambda scope: found[scope].possible()
        )
        runs = [one.runs for one in found.values() if one.runs]
        replayed = sum(one.is_replayed for one in found.values())
        return CanaryStatus(canary, here.version, shared, len(runs), sum(runs), difference, replayed, undecided)

    @checked
    def promote(
        self, pack: Name, *, replay: bool = False, by: Name | None = None, reason: Note = "", timeout: Timeout = 60.0
    ) -> DecidedCanary:
        """Let the canary of *pack* read in all scopes of all tenants, on every host. With *replay*, replay it there.

        Raises `Incorrect` if the pack has no running canary. A repeat changes nothing, and finishes an interrupted
        replay.
        """
        parts = self._parts
        canary, here, undecided = _found(parts, pack)
        _refuse_unless_running(canary)
        tried = parts.canaries.get(canary.pack)
        new: list[AnyPack] = [one for one in (tried and tried.pack, here) if one and one.version == canary.version]
        if replay and not new:
            raise Incorrect(
                f"{canary.pack}@{canary.version} is not loaded here",
                hint="put its folder here, as on the hosts of the workers",
            )
        _decide(parts, canary, "promoted", by, reason)
        _refuse_unless_running(_found(parts, pack)[0])
        replays = {}
        for tenant, cell in _everywhere(parts) if replay else ():
            with cell.database.tenant(tenant) as connection:
                scopes = list(readers(connection, canary.pack))
            order = order_for(new[0], by, reason)
            replays[tenant] = replay_in(cell, tenant, scopes, new[0], order, preview=False, timeout=timeout)
        return DecidedCanary(canary, "promoted", replays, undecided)

    @checked
    def roll_back(
        self, pack: Name, *, by: Name | None = None, reason: Note = "", timeout: Timeout = 60.0
    ) -> DecidedCanary:
        """End the canary of *pack* on every host, and take back what it has read, also in replays.

        *pack* is a name, or NAME@VERSION for an earlier canary. The installed version reads again the episodes that the
        canary has read. Afterwards, the beliefs are as if the canary had never run. Each scope of each tenant has its
        own transaction. A tenant's `skipped` names each scope that is not rolled back, with the problem and what to do.
        A repeat changes nothing, and finishes an interrupted roll-back. Raises `Incorrect` if the pack never had this
        canary, or if the installed version is not an earlier one.
        """
        parts = self._parts
        canary, here, undecided = _found(parts, pack)
        if here.version >= canary.version:
            raise Incorrect(
                f"{canary.pack}@{canary.version} cannot be rolled back: {here.pack} has version {here.version} here",
                hint="install the earlier version again, and then replay it",
            )
        _decide(parts, canary, "rolled back", by, reason)
        order = f"roll-back of {canary.pack}@{canary.version} to the rules"
        replays = {
            tenant: _rolled_back(cell, tenant, canary, here, order_for(here, by, reason, what=order), timeout)
            for tenant, cell in _everywhere(parts)
        }
        return DecidedCanary(canary, "rolled back", replays, undecided)


def _rolled_back(
    parts: Parts, tenant: str, canary: StoredCanary, here: AnyPack, order: Order, timeout: float
) -> Undone:
    """Take back in each scope of a tenant what *canary* has read; return the changes, and the skipped scopes."""

    def part(scope: Scope) -> Part:
        left = readings(parts, tenant, canary, here.version, scope)
        return left[scope].possible() if left else Part(frozenset())

    scopes = [*readings(parts, tenant, canary, here.version)]
    done = replay_in(parts, tenant, scopes, here, order, preview=False, timeout=timeout, only=part)
    begun = [scope for scope in readings(parts, tenant, canary, here.version) if scope not in scopes]
    problem = f"{canary.pack}@{canary.version} began to read here during the roll-back"
    return replace(done, skipped=(*done.skipped, *(Skipped(one, problem, "repeat the roll-back") for one in begun)))


def _refuse_unless_running(canary: StoredCanary) -> None:
    if not canary.declared or canary.verdict == "rolled back":
        raise Incorrect(
            f"{canary.pack}@{canary.version} cannot be promoted: it is {canary.state}",
            hint="declare it in canaries.yaml; a version that was rolled back needs a higher version number",
        )


def _found(parts: Parts, wanted: str) -> tuple[StoredCanary, AnyPack, Sequence[StoredCanary]]:
    """Return the *wanted* canary, the installed version of its pack, and the other canaries that are undecided.

    *wanted* is the name of the pack, or NAME@VERSION. Raises `Incorrect`.
    """
    with parts.database.dispatch() as connection:
        known = stored.known(connection)
    asked = VERSIONED.fullmatch(wanted)
    pack, version = (asked["name"], int(asked["version"])) if asked else (wanted, None)
    here = installed(parts).get(pack)
    mine = [one for one in known if one.pack == pack]
    if here is None or not mine:
        wrong = f"no pack {pack!r} is installed" if here is None else f"the pack {pack!r} has no canary"
        pending = here is not None and pack in parts.canaries
        others = sorted({one.pack for one in known if one.declared})
        hint = f"packs with a canary: {', '.join(others) or 'none'}; policies/canaries.yaml declares them"
        raise Incorrect(wrong, hint="the scheduler registers it within seconds" if pending else hint)
    canary = next((one for one in mine if version in (None, one.version)), None)
    if canary is None:
        versions = ", ".join(f"{pack}@{one.version}" for one in mine)
        raise Incorrect(f"{wanted} was never a canary", hint=f"canaries of this pack: {versions}")
    newer = [one for one in mine if one is not canary and one.version > here.version]
    return canary, here, tuple(one for one in newer if one.is_undecided)


def _decide(parts: Parts, canary: StoredCanary, verdict: Verdict, by: str | None, reason: str) -> None:
    for cell in parts.each_cell().values():
        with cell.database.dispatch() as connection:
            stored.decide(connection, canary, verdict, by=by or UNNAMED, reason=reason)


def _everywhere(parts: Parts) -> list[tuple[str, Parts]]:
    """Return every tenant, with the parts of its cell."""
    return [(tenant, cell) for cell in parts.each_cell().values() for tenant in cell.database.tenants()]
