"""Memories written to a file: one instant of them, streamed."""

import os
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import IO

from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, NotFound
from slowwave.memory.moving.form import SCOPE, Sum, head, written
from slowwave.memory.moving.moved import Moved
from slowwave.store.beliefs.digest import digest
from slowwave.store.moving import reading
from slowwave.wiring import Parts

Told = Callable[[Scope], None]
"""Hears of each scope as it is done."""


def to_file(
    parts: Parts,
    file: Path,
    tenant: str,
    user: str | None = None,
    agent: str | None = None,
    channel: str | None = None,
    told: Told | None = None,
) -> Moved:
    """Write what is remembered to *file*, which appears when it is whole; see `Memory.export`."""
    draft = file.with_name(f"{file.name}.part")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
            moved = to_stream(parts, out, tenant, user, agent, channel, told)
            out.flush()
            os.fsync(out.fileno())
        draft.replace(file)
    except OSError as error:
        raise Incorrect(f"{file} cannot be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return moved


def to_stream(
    parts: Parts,
    out: IO[bytes],
    tenant: str,
    user: str | None = None,
    agent: str | None = None,
    channel: str | None = None,
    told: Told | None = None,
) -> Moved:
    """Write what is remembered to *out*; return what that was. Raises `NotFound` where there is nothing."""
    sum_ = Sum()

    def write(what: str, value: object) -> None:
        line = written({what: value})
        sum_.take(line, what)
        out.write(line)

    with parts.database.long(tenant, frozen=True) as connection:
        scopes = reading.scopes(connection, user=user, agent=agent, channel=channel)
        write(*next(iter(head(tenant, version("slowwave")).items())))
        for found in scopes:
            scope = Scope(tenant, found["user_id"], found["agent"], found["channel"])
            said = found | {"digest": digest(connection, scope.id)}
            write("scope", {name: said[name] for name in SCOPE})
            for table, row in reading.rows(connection, scope.id):
                write(table, row)
            if told is not None:
                told(scope)
    if not sum_.scopes:
        raise NotFound("nothing is remembered of whom this names", hint="`slowwave scope` lists who is known")
    out.write(written({"end": sum_.told}))
    return Moved(sum_.scopes, dict(sum_.rows))
