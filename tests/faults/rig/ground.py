"""The harness's own Postgres and Redis, which tests may kill."""

import contextlib
import itertools
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import psycopg
from redis import Redis

from slowwave import wiring
from slowwave.embedded_services import PostgresServer, RedisServer
from slowwave.embedded_services.postgres import PORT
from slowwave.rules.folders import default_roots
from slowwave.settings import Settings
from tests.faults.rig.corpus import CADENCE
from tests.folders import open_folder

CHECKOUT = Path(__file__).resolve().parents[3]
LEASE_SECONDS = 2.0


@dataclass
class Ground:
    """Servers that keep their addresses across kills and restarts, and cheap databases on them."""

    home: Path
    postgres: PostgresServer
    redis: RedisServer
    rules: Path
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @classmethod
    @contextlib.contextmanager
    def open(cls) -> Iterator[Self]:
        """Start both servers, and migrate the database that all others are copied from."""
        with (
            open_folder("faults") as home,
            PostgresServer(home / "postgres", durable=False) as postgres,
            RedisServer(home / "redis", durable=False) as broker,
        ):
            wiring.migrate_database(postgres.url("slowwave_owner"))
            yield cls(home, postgres, broker, _quick_rules(home / "rules"))

    @contextlib.contextmanager
    def database(self, template: str = "slowwave", tablespace: str = "pg_default") -> Iterator[str]:
        """Give the name of a migrated database, or of a copy of another to which nothing is connected."""
        name = f"faults_{next(self._numbers)}"
        with self.superuser() as connection:
            connection.execute(
                f"CREATE DATABASE {name} TEMPLATE {template} OWNER slowwave_owner TABLESPACE {tablespace}"
            )
        try:
            yield name
        finally:
            with self.superuser() as connection:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    @contextlib.contextmanager
    def tablespace(self, folder: Path) -> Iterator[str]:
        """Give the name of a tablespace in *folder*, for databases on a disk that may become full."""
        name = f"space_{next(self._numbers)}"
        self.postgres.account.adopt(folder)
        with self.superuser() as connection:
            connection.execute(f"CREATE TABLESPACE {name} LOCATION '{folder}'")
        try:
            yield name
        finally:
            with self.superuser() as connection:
                connection.execute(f"DROP TABLESPACE {name}")

    def superuser(self, database: str = "postgres") -> psycopg.Connection:
        """Connect as superuser, who sees and may change the rows of every tenant."""
        return psycopg.connect(self.postgres.url("postgres", database), autocommit=True, connect_timeout=3)

    def rows(self, database: str, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of *query* in *database*, of every tenant."""
        with self.superuser(database) as connection:
            return connection.execute(query.encode(), values or None).fetchall()

    @property
    def postgres_socket(self) -> Path:
        """The path of the socket of Postgres."""
        return self.postgres.sockets / f".s.PGSQL.{PORT}"

    def broker(self) -> Redis:
        """Return a client of the broker."""
        return Redis(unix_socket_path=str(self.redis.socket), socket_timeout=3)

    def settings(self, database: str, **more: object) -> Settings:
        """Return settings that reach *database* and this broker, with short leases and windows."""
        fields: dict[str, object] = {
            "url": self.postgres.url(database=database),
            "owner_url": self.postgres.url("slowwave_owner", database),
            "broker_url": self.redis.broker_url,
            "home": self.home,
            "rules": self.rules,
            "lease_seconds": LEASE_SECONDS,
            "window": 6,
            "prepare_window": 20,
            "tick_seconds": 0.3,
            "poll_seconds": 0.2,
            "overdue_seconds": 0,
            "worker_processes": 1,
            "statements": False,
        }
        return Settings.load(**{**fields, **more})


def environment(settings: Settings) -> dict[str, str]:
    """Return the variables that make another process load the same *settings*."""
    names = (
        "lease_seconds",
        "window",
        "prepare_window",
        "tick_seconds",
        "poll_seconds",
        "overdue_seconds",
        "soft_limit_seconds",
        "statements",
    )
    values = {name: str(getattr(settings, name)) for name in (*names, "worker_processes", "home", "rules")}
    for name in ("url", "owner_url", "broker_url"):
        value = getattr(settings, name)
        if value is not None:
            values[name] = value.get_secret_value()
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    paths = os.pathsep.join([str(CHECKOUT / "shared"), str(CHECKOUT)])
    return {
        **keep,
        "PYTHONPATH": paths,
        "PYTHONUNBUFFERED": "1",
        **{f"SLOWWAVE_{name.upper()}": value for name, value in values.items()},
    }


def _quick_rules(folder: Path) -> Path:
    """Copy the shipped pack with shorter triggers; it also reads beside a model."""
    (shipped,) = [root / "everyday" for root in default_roots() if (root / "everyday").is_dir()][:1]
    shutil.copytree(shipped, folder / "everyday")
    manifest = folder / "everyday" / "pack.yaml"
    lines = manifest.read_text(encoding="utf-8").splitlines()
    quick = [CADENCE if line.startswith("cadence:") else line for line in lines if not line.startswith("gives_way:")]
    assert quick != lines
    manifest.write_text("\n".join(quick) + "\n", encoding="utf-8")
    return folder
