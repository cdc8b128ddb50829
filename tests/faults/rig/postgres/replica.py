"""A streaming replica of a Postgres server, made by pg_basebackup."""

from pathlib import Path

import psycopg

from slowwave.embedded_services import PostgresServer
from slowwave.embedded_services.postgres import PORT


class ReplicaServer(PostgresServer):
    """A replica that follows *primary*."""

    def __init__(self, folder: Path, primary: PostgresServer) -> None:
        super().__init__(folder, durable=False)
        self._primary = primary

    def _make_cluster(self, programs: Path, claim: int) -> None:
        address = f"host={self._primary.sockets} port={PORT} user=postgres"
        self._run(
            [str(programs / "pg_basebackup"), "-d", address, "-D", str(self.data), "-R", "-X", "stream", "-c", "fast"],
            keep_open=(claim,),
        )

    def _settle(self) -> None:
        """Change nothing, because a replica accepts no writes."""

    def superuser(self) -> psycopg.Connection:
        """Connect as superuser."""
        return psycopg.connect(self.url("postgres", "postgres"), autocommit=True)

    def served(self) -> bool:
        """Return whether a session of Slowwave is open whose last transaction was read to its end."""
        with self.superuser() as connection:
            rows = connection.execute("SELECT query FROM pg_stat_activity WHERE application_name = 'slowwave'")
            return any(query == "COMMIT" for (query,) in rows)
