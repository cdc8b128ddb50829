"""`export` and `import_file`: the verbs that move memories between installations as a file."""

from functools import partial
from pathlib import Path

from slowwave.domain.arguments import Description, Name, checked
from slowwave.memory.import_export.counts import MovedCounts
from slowwave.memory.verb_group import TenantVerbs


class ImportExport(TenantVerbs):
    """The verbs that move scopes between installations."""

    @checked
    def export(
        self, file: Path | Description, *, user: Name | None = None, agent: Name | None = None,
        channel: Name | None = None, tenant: Name | None = None,
    ) -> MovedCounts:  # fmt: skip
        """Write all memories of a tenant, or of one user, agent or channel, to *file*; return the counts.

        The file has the format JSON Lines, and is a snapshot of one instant. The file appears when it is complete, and
        only its owner can read it. Raises `Unavailable` when Postgres is down.
        """
        from slowwave.memory.import_export import transfer  # slow, because it loads the columns of every table

        return transfer.to_file(self._at(tenant), Path(file), self._tenant(tenant), user, agent, channel)

    @checked
    def import_file(
        self, file: Path | Description, *, tenant: Name | None = None, dry_run: bool = False
    ) -> MovedCounts:
        """Import all memories that `export` wrote to *file*; return the counts, which include scopes imported before.

        Beliefs stay the same. Ids stay the same too, unless *tenant* differs from the tenant of the export. Each scope
        is imported completely or not at all, and only once, even if the import is repeated. A *dry_run* writes nothing.
        Raises `Incorrect` with every problem of the file, and `Conflict` if a scope already has other memories in this
        database.
        """
        from slowwave.memory.import_export import transfer

        return transfer.from_file(self._parts, Path(file), tenant, dry_run=dry_run)

    @checked
    def verify_export(self, file: Path | Description, *, signed: bool = False) -> tuple[MovedCounts, str]:
        """Return the counts and the SHA-256 of an export that is complete and consistent.

        If this installation signed *file*, the method also checks the signature, which shows every later change. If
        *signed* is true, a file without a signature of this installation is refused. Raises `Incorrect` with every
        problem, and `Unavailable` when Postgres is down and *file* has a signature.
        """
        from slowwave.memory.import_export.signing import signer_of
        from slowwave.memory.import_export.verifying import verify_export

        found = verify_export(Path(file), partial(signer_of, self._parts), signed=signed)
        return found.counts, found.sha256
