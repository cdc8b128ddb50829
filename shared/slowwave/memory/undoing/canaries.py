"""Canaries of packs: their comparison with the installed version, their promotion and their roll-back."""

from collections.abc import Collection

from slowwave.domain.arguments import Name, Note, Timeout, checked
from slowwave.domain.canary import CanaryStatus, DecidedCanary, StoredCanary, Verdict
from slowwave.domain.scope import Scope
from slowwave.domain.undo import UNNAMED
from slowwave.errors import Incorrect
from slowwave.memory.dry_runs import AnyPack, installed
from slowwave.memory.undoing.every_scope import replay_in
from slowwave.memory.undoing.replaying import order_for
from slowwave.memory.verb_group import TenantVerbs
from slowwave.store import canaries as stored
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

        Raises `Incorrect` if the pack never had a canary.
        """
        name, parts = self._tenant(tenant), self._at(tenant)
        canary, here = _found(parts, pack)
        with parts.database.tenant(name) as connection:
            read = stored.read_by(connection, pack, canary.version)
            shared = stored.shared(connection, pack, canary.version)
        order = order_for(here, None, "", what="comparison")
        windows = {one.scope: one.positions for one in read}
        difference = replay_in(parts, name, [*windows], here, order, preview=True, timeout=0, only=windows.__getitem__)
        return CanaryStatus(canary, here.version, shared, len(read), sum(one.runs for one in read), difference)

    @checked
    def promote(
        self, pack: Name, *, replay: bool = False, by: Name | None = None, reason: Note = "", timeout: Timeout = 60.0
    ) -> DecidedCanary:
        """Let the canary of *pack* read in all scopes of all tenants, on every host. With *replay*, replay it there.

        Raises `Incorrect` if the pack has no running canary. A repeat changes nothing, and finishes an interrupted
        replay.
        """
        parts = self._parts
        canary, here = _found(parts, pack)
        if not canary.declared or canary.verdict == "rolled back":
            raise Incorrect(
                f"{pack}@{canary.version} cannot be promoted: it is {canary.state}",
                hint="declare it in canaries.yaml; a version that was rolled back needs a higher version number",
            )
        tried = parts.canaries.get(pack)
        new: list[AnyPack] = [one for one in (tried and tried.pack, here) if one and one.version == canary.version]
        if replay and not new:
            raise Incorrect(
                f"{pack}@{canary.version} is not loaded here",
                hint="put its folder here, as on the hosts of the workers",
            )
        _decide(parts, canary, "promoted", by, reason)
        replays = {}
        for tenant, cell in _everywhere(parts) if replay else ():
            with cell.database.tenant(tenant) as connection:
                scopes = list(readers(connection, pack))
            order = order_for(new[0], by, reason)
            replays[tenant] = replay_in(cell, tenant, scopes, new[0], order, preview=False, timeout=timeout)
        return DecidedCanary(canary, "promoted", replays)

    @checked
    def roll_back(
        self, pack: Name, *, by: Name | None = None, reason: Note = "", timeout: Timeout = 60.0
    ) -> DecidedCanary:
        """End the canary of *pack* on every host, and replay the episodes that it has read with the installed version.

        Afterwards, the beliefs are as if the canary had never run. Each scope of each tenant has its own transaction. A
        repeat changes nothing, and finishes an interrupted roll-back. Raises `Incorrect` if the pack never had a
        canary, or if the installed version is not an earlier one.
        """
        parts = self._parts
        canary, here = _found(parts, pack)
        if here.version >= canary.version:
            raise Incorrect(
                f"{pack}@{canary.version} cannot be rolled back: {pack} has version {here.version} here",
                hint="install the earlier version again, and then replay it",
            )
        _decide(parts, canary, "rolled back", by, reason)
        replays = {}
        for tenant, cell in _everywhere(parts):
            with cell.database.tenant(tenant) as connection:
                scopes = [one.scope for one in stored.read_by(connection, pack, canary.version)]

            def positions(scope: Scope, cell: Parts = cell) -> Collection[int]:
                with cell.database.tenant(scope.tenant) as connection:
                    found = stored.read_by(connection, pack, canary.version, scope.id)
                return found[0].positions if found else frozenset()

            order = order_for(here, by, reason, what=f"roll-back of {pack}@{canary.version} to the rules")
            replays[tenant] = replay_in(
                cell, tenant, scopes, here, order, preview=False, timeout=timeout, only=positions
            )
        return DecidedCanary(canary, "rolled back", replays)


def _found(parts: Parts, pack: str) -> tuple[StoredCanary, AnyPack]:
    """Return the canary of *pack*, and the installed version. Raises `Incorrect`."""
    with parts.database.dispatch() as connection:
        known = stored.known(connection)
    here = installed(parts).get(pack)
    mine = [one for one in known if one.pack == pack]
    if here is None or not mine:
        wrong = f"no pack {pack!r} is installed" if here is None else f"the pack {pack!r} has no canary"
        pending = here is not None and pack in parts.canaries
        others = sorted({one.pack for one in known if one.declared})
        hint = f"packs with a canary: {', '.join(others) or 'none'}; policies/canaries.yaml declares them"
        raise Incorrect(wrong, hint="the scheduler registers it within seconds" if pending else hint)
    return mine[0], here


def _decide(parts: Parts, canary: StoredCanary, verdict: Verdict, by: str | None, reason: str) -> None:
    for cell in parts.each_cell().values():
        with cell.database.dispatch() as connection:
            stored.decide(connection, canary, verdict, by=by or UNNAMED, reason=reason)


def _everywhere(parts: Parts) -> list[tuple[str, Parts]]:
    """Return every tenant, with the parts of its cell."""
    return [(tenant, cell) for cell in parts.each_cell().values() for tenant in cell.database.tenants()]
