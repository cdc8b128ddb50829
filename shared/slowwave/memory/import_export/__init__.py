"""`export` and `import_file`: memories moved between installations as a file."""

from pathlib import Path

from slowwave.domain.arguments import Name, checked
from slowwave.memory.import_export.counts import MovedCounts
from slowwave.wiring import Parts


class ImportExport:
    """The verbs that move scopes between installations."""

    _parts: Parts

    @checked
    def export(
        self, file: Path, *, user: Name | None = None, agent: Name | None = None, channel: Name | None = None,
        tenant: Name | None = None,
    ) -> MovedCounts:  # fmt: skip
        """Write all memories of a tenant, or of one user, agent or channel, to *file*; return their counts.

        The file holds JSON Lines, a snapshot of one instant. It appears when it is complete, readable only by its
        owner. Raises `Unavailable` when Postgres is down.
        """
        from slowwave.memory.import_export import transfer  # slow: loads the columns of every table

        return transfer.to_file(self._parts, file, tenant or self._parts.settings.tenant, user, agent, channel)

    @checked
    def import_file(self, file: Path, *, tenant: Name | None = None, dry_run: bool = False) -> MovedCounts:
        """Import everything that `export` wrote to *file*; return the counts, also of scopes imported before.

        Ids and beliefs stay the same; another *tenant* gets new ids. Each scope is imported completely or not at all,
        and only once, even if the import is repeated. A *dry_run* writes nothing. Raises `Incorrect` with every problem
        of the file, and `Conflict` for a scope that already has other memories in this database.
        """
        from slowwave.memory.import_export import transfer

        return transfer.from_file(self._parts, file, tenant, dry_run=dry_run)
