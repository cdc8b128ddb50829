"""Postgres and Redis together: one call starts both, or joins running ones."""

import contextlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from slowwave.embedded_services.binaries import require_postgres_wheel
from slowwave.embedded_services.os_user import Account
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.embedded_services.redis import CACHE_BYTES, CacheServer, RedisServer
from slowwave.embedded_services.server import Server


@dataclass(frozen=True, slots=True)
class EmbeddedServices:
    """The running services of one home.

    The services end when the last process that uses them ends, for whatever reason.
    """

    home: Path
    postgres: PostgresServer
    redis: RedisServer | None
    cache: CacheServer | None

    @classmethod
    def start(
        cls, home: Path, *, redis: bool = True, durable: bool = True, cache_bytes: int = CACHE_BYTES,
        timeout_seconds: float = 60.0,
    ) -> Self:  # fmt: skip
        """Return the services of *home*. The first start creates them; later calls join running services.

        *redis* adds a broker, and a cache limited to *cache_bytes*.

        Raises `Incorrect` if the services cannot run on this system, and `Unavailable` if this start failed.
        """
        require_postgres_wheel()
        home = home.resolve()
        Account.choose(home).settle_in(home)
        postgres = PostgresServer(home / "postgres", durable=durable, timeout_seconds=timeout_seconds)
        broker = RedisServer(home / "redis", durable=durable, timeout_seconds=timeout_seconds) if redis else None
        cache = CacheServer(home / "cache", most_bytes=cache_bytes, timeout_seconds=timeout_seconds) if redis else None
        with contextlib.ExitStack() as undo, ThreadPoolExecutor() as starting:
            list(starting.map(undo.enter_context, (one for one in (postgres, broker, cache) if one is not None)))
            undo.pop_all()
        return cls(home, postgres, broker, cache)

    @property
    def servers(self) -> list[Server]:
        """The running servers, in the order of their start."""
        return [self.postgres, *(server for server in (self.redis, self.cache) if server is not None)]

    @property
    def owned(self) -> bool:
        """True if this object started the database; False if it joined a running database."""
        return self.postgres.owned

    @property
    def url(self) -> str:
        """The address of the database, for every process.

        To log in with other rights, replace the user name by slowwave_app or slowwave_dispatch.
        """
        return self.postgres.url()

    @property
    def owner_url(self) -> str:
        """The address of the database for the owner of the schema, who migrates it and makes partitions."""
        return self.postgres.url("slowwave_owner")

    @property
    def superuser_url(self) -> str:
        """The address of the database `postgres` for the superuser. Use it for tests and repairs only."""
        return self.postgres.url("postgres", "postgres")

    @property
    def broker_url(self) -> str | None:
        """The broker address, as Celery needs it; None without Redis."""
        return self.redis.broker_url if self.redis else None

    @property
    def cache_url(self) -> str | None:
        """The cache address, as redis-py needs it; None without Redis."""
        return self.cache.url() if self.cache else None

    def stop(self) -> None:
        """Stop using the services. A service without other users ends cleanly."""
        for server in reversed(self.servers):
            server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
