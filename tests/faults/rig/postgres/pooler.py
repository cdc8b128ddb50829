"""A real PgBouncer in transaction mode."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from slowwave.embedded_services import PostgresServer
from slowwave.embedded_services.postgres import PORT
from tests.faults.rig.processes import until

POOLER_PORT = 6432


@contextmanager
def pooler(folder: Path, postgres: PostgresServer, database: str, *, sessions: int) -> Iterator[str]:
    """Give the address of *database* behind a PgBouncer, which uses *sessions* sessions and renews them."""
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin")
    if program is None:
        pytest.fail("needs pgbouncer: apt-get install pgbouncer")
    users, settings = folder / "users.txt", folder / "pgbouncer.ini"
    users.write_text('"slowwave" ""\n')
    settings.write_text(
        f"""
        [databases]
        {database} = host={postgres.sockets} port={PORT} pool_size={sessions}
        [pgbouncer]
        pool_mode = transaction
        listen_port = {POOLER_PORT}
        unix_socket_dir = {folder}
        auth_type = trust
        auth_file = {users}
        server_lifetime = 1
        """
    )
    account = postgres.account
    uid, gid = (account.uid, account.gid) if account.switched else (None, None)
    folder.chmod(0o777)  # the account of the servers makes the socket
    running = subprocess.Popen(
        [program, "-q", str(settings)],
        stdout=subprocess.DEVNULL,
        user=uid,
        group=gid,
        extra_groups=[] if account.switched else None,
    )
    address = f"postgresql://slowwave@/{database}?host={folder}&port={POOLER_PORT}"
    try:
        until(lambda: _answers(address), "PgBouncer answers")
        yield address
    finally:
        running.terminate()
        running.wait()


def _answers(address: str) -> bool:
    try:
        psycopg.connect(address).close()
    except psycopg.OperationalError:
        return False
    return True
