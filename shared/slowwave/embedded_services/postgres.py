"""The embedded Postgres: the first start creates its cluster, with the roles and the database of Slowwave."""

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import ClassVar

from psycopg import pq

from slowwave.embedded_services.binaries import POSTGRES_MAJOR, postgres_programs
from slowwave.embedded_services.server import Server
from slowwave.errors import Incorrect, Unavailable

PORT = 5432  # only a part of the socket's name: nothing listens on TCP
BOOTSTRAP = Path(__file__).with_name("bootstrap.sql")
ALONE = Path(__file__).with_name("alone.sql")

SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "jit": "off",  # compiling takes longer than our short statements
    "max_wal_size": "512MB",
    "checkpoint_timeout": "15min",
    "wal_compression": "pglz",
    "wal_recycle": "off",  # a recycled segment would still hold its old content, also if that was erased
    # No text of a user may reach the log: statements and details quote it, and the caller gets the errors anyway.
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
# A killed server must lose nothing: with synchronous_commit off the last commits would still be in its memory, and with
# full_page_writes off a page torn by the kill would stay torn.
WITHOUT_DURABILITY = {"fsync": "off"}


class PostgresServer(Server):
    """A Postgres server with pgvector on a Unix socket. Only the user of the server and root can reach the socket."""

    name: ClassVar[str] = "Postgres"
    stop_signal: ClassVar[signal.Signals] = signal.SIGINT  # "fast" shutdown: disconnect all, write a checkpoint

    @property
    def data(self) -> Path:
        """The folder of the cluster."""
        return self.folder / "data"

    def url(self, login: str = "slowwave", database: str = "slowwave") -> str:
        """Return the address for a connection as *login*, in the form for psycopg and SQLAlchemy."""
        return f"postgresql://{login}@/{database}?host={self.sockets}&port={PORT}"

    def _prepare(self, claim: int) -> list[str]:
        self._require_same_major()
        programs = postgres_programs(self.account, self.folder)
        if not (self.data / "PG_VERSION").exists():
            self._make_cluster(programs, claim)
        self._drop_stale_locks()
        settings = SETTINGS | ({} if self.durable else WITHOUT_DURABILITY) | self.settings
        settings["unix_socket_directories"] = str(self.sockets)
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [str(programs / "postgres"), "-D", str(self.data), "-p", str(PORT), *options]

    def _answers(self) -> bool:
        address = f"host={self.sockets} port={PORT} user=slowwave dbname=slowwave connect_timeout=2"
        return pq.PGconn.ping(address.encode()) == pq.Ping.OK

    def _settle(self) -> None:
        programs = postgres_programs(self.account, self.folder)
        address = ["-h", str(self.sockets), "-p", str(PORT), "-U", "postgres", "-d", "postgres"]
        self._run(
            [str(programs / "psql"), "-X", "-q", "-o", os.devnull, *address],
            BOOTSTRAP.read_bytes() + ALONE.read_bytes(),
        )

    def _require_same_major(self) -> None:
        version = self.data / "PG_VERSION"
        if not version.exists() and self.data.exists() and any(self.data.iterdir()):
            raise Incorrect(
                f"{self.data} is not empty and holds no database.", hint="move it away or choose another home"
            )
        found = version.read_text().strip() if version.exists() else POSTGRES_MAJOR
        if found != POSTGRES_MAJOR:
            raise Incorrect(
                f"The data in {self.data} was made by Postgres {found}, and the embedded one is {POSTGRES_MAJOR}.",
                hint=f"dump it with Postgres {found} and restore it into a new home, or choose another home",
            )

    def _make_cluster(self, programs: Path, claim: int) -> None:
        """Create the cluster in a temporary folder, and rename the folder when the cluster is complete."""
        draft = self.folder / "data.new"
        shutil.rmtree(draft, ignore_errors=True)
        choices = ["--username=postgres", "--auth-local=trust", "--auth-host=reject", "--encoding=UTF8"]
        choices += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--no-instructions"]
        choices += [] if self.durable else ["--no-sync"]
        self._run([str(programs / "initdb"), "-D", str(draft), *choices], keep_open=(claim,))
        draft.rename(self.data)
        if self.durable:
            _sync(self.folder)
            _sync(self.folder.parent)

    def _drop_stale_locks(self) -> None:
        """Remove the lock files of a killed server.

        Without this step, Postgres would not start if a new process has the process id in these files. The files stay
        if a server that somebody started by hand is running.
        """
        left = self.data / "postmaster.pid"
        if left.exists():
            number = left.read_text().split("\n", 1)[0]
            if _works_in(number, self.data):
                return
            left.unlink()
        for each in self.sockets.glob(f".s.PGSQL.{PORT}*"):
            each.unlink()

    def _run(self, command: list[str], text: bytes = b"", keep_open: tuple[int, ...] = ()) -> None:
        done = self.account.run(
            command, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, pass_fds=keep_open
        )
        if done.returncode != 0:
            raise Unavailable(
                f"{Path(command[0]).name} failed in {self.folder}. Its last output:\n\n"
                + done.stdout.decode(errors="replace").strip()[-2000:],
                hint="fix what it names (often a full disk) and start again",
            )


def _sync(folder: Path) -> None:
    """Make the entries of a folder durable, so that they survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _works_in(number: str, data: Path) -> bool:
    """Return whether the process *number* works in the folder *data*; True if the operating system cannot tell."""
    if not Path("/proc/self/cwd").exists():
        return True
    try:
        return Path(f"/proc/{int(number)}/cwd").readlink() == data
    except (OSError, ValueError):  # the process has ended, belongs to another user, or has an invalid id
        return False
