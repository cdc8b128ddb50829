"""`export` and `import_file`: memories leave an installation in a file, and arrive in another."""

from pathlib import Path

from slowwave.domain.arguments import Name, checked
from slowwave.memory.moving.moved import Moved
from slowwave.wiring import Parts


class Moving:
    """A memory whose scopes can be taken elsewhere."""

    _parts: Parts

    @checked
    def export(
        self,
        file: Path,
        *,
        user: Name | None = None,
        agent: Name | None = None,
        channel: Name | None = None,
        tenant: Name | None = None,
    ) -> Moved:
        """Write everything that is remembered of a tenant, or of one user, agent or channel, to *file*; count it.

        JSON Lines of one instant, whatever happens meanwhile. The file appears when it is whole, readable by its owner
        alone. Raises `Unavailable` when Postgres is away.
        """
        from slowwave.memory.moving import leaving  # with every table's columns, which nothing else asks for

        return leaving.to_file(self._parts, file, tenant or self._parts.settings.tenant, user, agent, channel)

    @checked
    def import_file(self, file: Path, *, tenant: Name | None = None, dry_run: bool = False) -> Moved:
        """Bring in everything that `export` wrote to *file*; return what arrived, and which scopes had before.

        Ids and beliefs are the same as there; in another *tenant* ids are derived anew. A scope arrives whole or not
        at all, and once, however often the file is read. With *dry_run* nothing is written. Raises `Incorrect` with all
        that is wrong with the file, and `Conflict` for a scope that has other memories here.
        """
        from slowwave.memory.moving import arriving

        return arriving.from_file(self._parts, file, tenant, dry_run=dry_run)
