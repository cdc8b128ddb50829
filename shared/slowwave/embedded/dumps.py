"""Backups of the embedded Postgres, by the programs that came with it: whole, or not there."""

import subprocess
from pathlib import Path
from typing import IO

from slowwave.drafts import draft_of
from slowwave.embedded.binaries import postgres_programs
from slowwave.embedded.postgres import PORT, PostgresServer
from slowwave.embedded.server import ENVIRONMENT
from slowwave.errors import Incorrect, Unavailable

_NEW = "slowwave_restored"
_OLD = "slowwave_replaced"
_CLEAR = tuple(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)" for name in (_NEW, _OLD))
_MAKE = (
    *_CLEAR,
    "CREATE DATABASE slowwave_restored OWNER slowwave_owner TEMPLATE template0 ENCODING 'UTF8' "
    "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'",
)
_SWAP = (
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname IN ('slowwave', 'slowwave_restored')",
    "ALTER DATABASE slowwave RENAME TO slowwave_replaced; ALTER DATABASE slowwave_restored RENAME TO slowwave",
    *_CLEAR,
)
"""The statements of one line are one transaction: whoever dies leaves one database or the other, and never none."""


def dump(server: PostgresServer, file: Path) -> None:
    """Write the whole database of a running *server* to *file*, which appears when it is whole, its owner's alone.

    It is that of one instant, and others go on meanwhile. Raises `Incorrect` where nothing can be written, and
    `Unavailable` when it breaks off.
    """
    with draft_of(file) as out:
        _run(server, "pg_dump", "--format=custom", "--dbname=slowwave", out=out)


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
                _tell(server, *_CLEAR)
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
