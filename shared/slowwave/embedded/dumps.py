"""Backups of the embedded Postgres, by the programs that came with it: whole, or not there."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import IO

from slowwave.embedded.binaries import postgres_programs
from slowwave.embedded.postgres import PORT, PostgresServer
from slowwave.embedded.server import ENVIRONMENT
from slowwave.errors import Incorrect, Unavailable

_NEW = "slowwave_restored"
_MAKE = (
    "DROP DATABASE IF EXISTS slowwave_restored WITH (FORCE)",
    "CREATE DATABASE slowwave_restored OWNER slowwave_owner TEMPLATE template0 ENCODING 'UTF8' "
    "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'",
)
_SWAP = ("DROP DATABASE slowwave WITH (FORCE)", "ALTER DATABASE slowwave_restored RENAME TO slowwave")


def dump(server: PostgresServer, file: Path) -> None:
    """Write the whole database of a running *server* to *file*, which appears when it is whole, its owner's alone.

    It is that of one instant, and others go on meanwhile. Raises `Incorrect` where nothing can be written, and
    `Unavailable` when it breaks off.
    """
    draft = file.with_name(f"{file.name}.part")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
            _run(server, "pg_dump", "--format=custom", "--dbname=slowwave", out=out)
            os.fsync(out.fileno())
        draft.replace(file)
    except OSError as error:
        raise Incorrect(f"{file} cannot be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def restore(server: PostgresServer, file: Path) -> None:
    """Put the database that `dump` wrote to *file* in the place of that of a running *server*.

    It is made beside the old one, which gives way when it is whole. Raises `Incorrect` where *file* is no such backup,
    or a part of one; then everything is as it was.
    """
    try:
        with file.open("rb") as whole:
            _tell(server, *_MAKE)
            try:
                _run(server, "pg_restore", "--exit-on-error", f"--dbname={_NEW}", read=whole)
            except Unavailable as error:
                _tell(server, _MAKE[0])
                raise Incorrect(f"{file} is no whole backup of Slowwave. {error.message}") from None
    except OSError as error:
        raise Incorrect(f"{file} cannot be read: {error.strerror}") from None
    _tell(server, *_SWAP)


def _tell(server: PostgresServer, *statements: str) -> None:
    """Have *statements* done as superuser, one after the other, none after one that fails."""
    told = [part for statement in statements for part in ("-c", statement)]
    _run(server, "psql", "-X", "-q", "-d", "postgres", "-v", "ON_ERROR_STOP=1", *told)


def _run(
    server: PostgresServer, program: str, *arguments: str, read: IO[bytes] | None = None,
    out: IO[bytes] | None = None,
) -> None:  # fmt: skip
    """Run a program of Postgres as the account of *server*, as superuser of the database."""
    account = server.account
    address = ["-h", str(server.sockets), "-p", str(PORT), "-U", "postgres"]
    done = subprocess.run(
        [str(postgres_programs(account, server.folder) / program), *address, *arguments],
        stdin=read if read is not None else subprocess.DEVNULL,
        stdout=out if out is not None else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
        env=ENVIRONMENT,
        cwd="/",
        user=account.uid if account.switched else None,
        group=account.gid if account.switched else None,
        extra_groups=[] if account.switched else None,
    )
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()[-1000:]
        raise Unavailable(f"{program} broke off: {said}", hint="mend what it names, and try again")
