"""Memories exported to a file or stream: a snapshot of one instant."""

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import IO

from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.memory.import_export.counts import MovedCounts
from slowwave.memory.import_export.file_format import SCOPE, RunningDigest, head, written
from slowwave.runtime.atomic_files import atomic_write
from slowwave.store.beliefs.digest import digest
from slowwave.store.import_export import exported_rows
from slowwave.wiring import Parts

Told = Callable[[Scope], None]
"""A function called after each scope."""


def to_file(
    parts: Parts,
    file: Path,
    tenant: str,
    user: str | None = None,
    agent: str | None = None,
    channel: str | None = None,
    told: Told | None = None,
) -> MovedCounts:
    """Write the memories to *file*, which appears only when it is complete; see `Memory.export`."""
    with atomic_write(file) as out:
        return to_stream(parts, out, tenant, user, agent, channel, told)


def to_stream(
    parts: Parts,
    out: IO[bytes],
    tenant: str,
    user: str | None = None,
    agent: str | None = None,
    channel: str | None = None,
    told: Told | None = None,
) -> MovedCounts:
    """Write the memories to *out*; return their counts. Raises `NotFound` if there are none."""
    sum_ = RunningDigest()

    def write(what: str, value: object) -> None:
        line = written({what: value})
        sum_.take(line, what)
        out.write(line)

    with parts.database.long(tenant, frozen=True) as connection:
        scopes = exported_rows.scopes(connection, user=user, agent=agent, channel=channel)
        write(*next(iter(head(tenant, version("slowwave")).items())))
        for found in scopes:
            scope = Scope(tenant, found["user_id"], found["agent"], found["channel"])
            said = found | {"digest": digest(connection, scope.id)}
            write("scope", {name: said[name] for name in SCOPE})
            for table, row in exported_rows.rows(connection, scope.id):
                write(table, row)
            if told is not None:
                told(scope)
    if not sum_.scopes:
        raise NotFound("no memories match these names", hint="`slowwave scope` lists the scopes")
    out.write(written({"end": sum_.told}))
    return MovedCounts(sum_.scopes, dict(sum_.rows))
