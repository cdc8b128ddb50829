"""Backups of the embedded Postgres, made by the programs of Postgres. A backup file is complete or does not exist."""

import subprocess
from pathlib import Path
from typing import IO

from slowwave.embedded_services.binaries import postgres_programs
from slowwave.embedded_services.postgres import PORT, PostgresServer
from slowwave.errors import Incorrect, Unavailable
from slowwave.runtime.host import atomic_write

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
"""The statements that replace a database. The statements of one line are one transaction: if the process dies, either
the old or the new database remains.
"""


def dump(server: PostgresServer, file: Path) -> None:
    """Write the whole database of a running *server* to *file*. The file appears when it is complete.

    Only the owner may read the file. The file is a snapshot of one instant, and other processes may write meanwhile.
    Raises `Incorrect` if the file cannot be written, and `Unavailable` if the dump fails.
    """
    with atomic_write(file) as out:
        _run(server, "pg_dump", "--format=custom", "--dbname=slowwave", out=out)


def restore(server: PostgresServer, file: Path) -> None:
    """Replace the database of a running *server* by the database that `dump` wrote to *file*.

    The new database is made beside the old database, and replaces it when the new database is complete. Raises
    `Incorrect` if *file* is not a complete backup; in this case, the old database is unchanged.
    """
    try:
        with file.open("rb") as whole:
            _run_statements(server, *_MAKE)
            try:
                _run(server, "pg_restore", "--exit-on-error", f"--dbname={_NEW}", read=whole)
            except Unavailable as error:
                _run_statements(server, *_CLEAR)
                raise Incorrect(f"{file} is not a complete backup of Slowwave. {error.message}") from None
    except OSError as error:
        raise Incorrect(f"{file} cannot be read: {error.strerror}") from None
    _run_statements(server, *_SWAP)


def _run_statements(server: PostgresServer, *statements: str) -> None:
    """Run *statements* as superuser, one after the other. Stop at the first statement that fails."""
    flags = [part for statement in statements for part in ("-c", statement)]
    _run(server, "psql", "-X", "-q", "-d", "postgres", "-v", "ON_ERROR_STOP=1", *flags)


def _run(
    server: PostgresServer, program: str, *arguments: str, read: IO[bytes] | None = None,
    out: IO[bytes] | None = None,
) -> None:  # fmt: skip
    """Run a program of Postgres as the account of *server*, and as superuser of the database."""
    address = ["-h", str(server.sockets), "-p", str(PORT), "-U", "postgres"]
    done = server.account.run(
        [str(postgres_programs(server.account, server.folder) / program), *address, *arguments],
        stdin=read if read is not None else subprocess.DEVNULL,
        stdout=out if out is not None else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    if done.returncode != 0:
        stderr = done.stderr.decode(errors="replace").strip()[-1000:]
        raise Unavailable(f"{program} failed: {stderr}", hint="fix what it names, and try again")
