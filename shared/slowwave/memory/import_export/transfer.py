"""The export of memories to a file or stream, and the import of memories from a file."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from importlib.metadata import version
from itertools import groupby, islice
from pathlib import Path
from typing import IO, Any

from slowwave.core.masking import MASKING
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Crowded, Fault, Incorrect, NotFound
from slowwave.formatting import counted
from slowwave.memory.import_export import file_format
from slowwave.memory.import_export.counts import MovedCounts
from slowwave.memory.import_export.file_format import SCOPE, RunningDigest, exported_id, head, written
from slowwave.memory.import_export.signing import Signer
from slowwave.runtime.host import atomic_write
from slowwave.store.beliefs.digest import digest
from slowwave.store.fingerprints import known_fingerprinter
from slowwave.store.import_export import exported_rows
from slowwave.store.import_export.exported_rows import PAGE, Renaming
from slowwave.store.import_export.scope_import import ScopeImport, there
from slowwave.wiring import Parts

OnExported = Callable[[Scope], None]
"""A function called after each scope."""
_OnImported = Callable[[Scope, bool], None]
"""A function called after each scope; the second argument is True if the scope was imported before."""
Row = tuple[str, dict[str, Any]]


def to_file(
    parts: Parts, file: Path, tenant: str, user: str | None = None, agent: str | None = None,
    channel: str | None = None, on_scope: OnExported | None = None,
) -> MovedCounts:  # fmt: skip
    """Write the memories to *file*; return the counts.

    The file appears only when it is complete. See `Memory.export`.
    """
    with atomic_write(file) as out:
        return to_stream(parts, out, tenant, user, agent, channel, on_scope)


def to_stream(
    parts: Parts, out: IO[bytes], tenant: str, user: str | None = None, agent: str | None = None,
    channel: str | None = None, on_scope: OnExported | None = None,
) -> MovedCounts:  # fmt: skip
    """Write the memories to *out*; return the counts. Raises `NotFound` if there are no memories."""
    sum_ = RunningDigest()

    def write(what: str, value: object) -> None:
        line = written({what: value})
        sum_.take(line, what)
        out.write(line)

    with parts.database.long(tenant, frozen=True) as connection:
        scopes = exported_rows.scopes(connection, user=user, agent=agent, channel=channel)
        prints = known_fingerprinter(connection)
        sum_.signer = None if prints is None else Signer.of(prints)
        write(*next(iter(head(tenant, version("slowwave"), sum_.signer).items())))
        for found in scopes:
            scope = Scope(tenant, found["user_id"], found["agent"], found["channel"])
            values = found | {"digest": digest(connection, scope.id)}
            write("scope", {"id": scope.id, **{name: values[name] for name in SCOPE}})
            for table, row in exported_rows.rows(connection, scope.id):
                write(table, row)
            if on_scope is not None:
                on_scope(scope)
    if not sum_.scopes:
        raise NotFound("no memories match these names", hint="`slowwave scope` lists the scopes")
    out.write(written({"end": sum_.foot}))
    return MovedCounts(sum_.scopes, dict(sum_.rows))


def from_file(
    parts: Parts, file: Path, tenant: str | None = None, *, dry_run: bool = False, on_scope: _OnImported | None = None
) -> MovedCounts:
    """Import the memories that `export` wrote to *file*; return the counts. See `Memory.import_file`."""
    found = file_format.checked(file)
    if not parts.masking.keeps:
        _refuse_secrets(file)
    to = tenant or found.tenant
    parts = parts.of(to)
    scopes = {exported_id(scope, head): replace(scope, tenant=to) for scope, head in found.scopes}
    same_ids = to == found.tenant and all(id_ == scope.id for id_, scope in scopes.items())
    names = Renaming(None if same_ids else to, scopes)
    known = _refuse_others(parts, to, found, names)
    if new := len(scopes) - known:
        parts.quotas.require_room(to, bytes_=file.stat().st_size * new // len(scopes))
    if dry_run:
        return MovedCounts(len(scopes) - known, dict(found.sum.rows), known)

    rows: Counter[str] = Counter()
    arrived = known = 0
    for owner, section in _sections(file):
        scope = Scope(to, owner["user_id"], owner["agent"], owner["channel"])
        try:
            counts = _import_scope(parts, scope, owner, section, names, same=to == found.tenant)
        except Crowded as error:
            raise Crowded(
                f"{error.message}; {arrived + known} of {counted(len(scopes), 'scopes')} are imported",
                retry_after_seconds=error.retry_after_seconds,
                hint=f"repeat the import later, and it continues; {error.hint}",
            ) from error
        known += counts is None
        arrived += counts is not None
        rows.update(counts or {})
        if on_scope is not None:
            on_scope(scope, counts is None)
    return MovedCounts(arrived, dict(rows), known)


def _refuse_secrets(file: Path) -> None:
    """Raise `Incorrect` if a row contains a secret. Masking the secret would make digests and spans invalid."""
    secrets_by_table = Counter(
        table for _, section in _sections(file) for table, row in section if MASKING.value(row) != row
    )
    if secrets_by_table:
        problems = [
            f"{table}: {counted(count, 'rows')} with secrets" for table, count in sorted(secrets_by_table.items())
        ]
        hint = "forget them where you exported and export again, or import them unmasked with SLOWWAVE_SECRETS=keep"
        raise Incorrect.listing("the import", problems, hint=hint)


def _refuse_others(parts: Parts, tenant: str, found: file_format.Checked, names: Renaming) -> int:
    """Return the number of scopes that were imported before.

    Raises `Conflict` if a scope has other memories in this database.
    """
    problems, known = [], 0
    with parts.database.long(tenant) as connection:
        for scope, head in found.scopes:
            try:
                known += there(connection, replace(scope, tenant=tenant), head, names)
            except Conflict as error:
                problems.append(error.message)
    if problems:
        listed = Incorrect.listing("the import", problems[:20], more=max(0, len(problems) - 20))
        raise Conflict("\n".join([f"{listed.message}"]), hint="import into an empty tenant: --tenant NAME")
    return known


def _import_scope(
    parts: Parts, scope: Scope, head: Mapping[str, Any], section: Iterator[Row], names: Renaming, *, same: bool
) -> Mapping[str, int] | None:
    """Import a scope; return the row counts by table, or None if the scope existed.

    Raises `Fault` if the digest of the imported beliefs differs from the exported digest. The digests are compared only
    if *same* is True: the import is into the tenant of the export, whose name is part of the digest.
    """
    counts: Counter[str] = Counter()
    with (
        parts.database.long(scope.tenant) as connection,
        parts.quotas.counting(connection, scope.tenant, scope.user, bulk=True),
    ):
        if there(connection, scope, head, names):
            return None
        arrival = ScopeImport(connection, scope, names)
        for table, rows in groupby(section, key=lambda row: row[0]):
            while page := [row for _, row in islice(rows, PAGE)]:
                arrival.put(table, page)
                counts[table] += len(page)
        due = arrival.stand(head, (parts.embedder.space, parts.embedder.dimensions))
        if same and digest(connection, scope.id) != head["digest"]:
            raise Fault(
                f"the imported beliefs about {scope.user} differ from the exported ones",
                hint="this scope was not imported; please report this",
            )
    if parts.bell is not None:
        for id_, job in due:
            parts.bell.ring(id_, job)
    return counts


def _sections(file: Path) -> Iterator[tuple[dict[str, Any], Iterator[Row]]]:
    """Yield the line of each scope, and an iterator over the scope's rows.

    Rows that the caller does not read are skipped.
    """
    numbered = _with_scope_numbers(file_format.value_of(line) for number, line in file_format.lines(file) if number > 1)
    for _, section in groupby(numbered, key=lambda item: item[0]):
        _, (what, head) = next(section)
        if what == "scope":
            yield head, (row for _, row in section if row[0] != "end")


def _with_scope_numbers(rows: Iterable[Row]) -> Iterator[tuple[int, Row]]:
    """Yield each row with the number of its scope in the file."""
    count = 0
    for row in rows:
        count += row[0] == "scope"
        yield count, row
