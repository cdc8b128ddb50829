"""Postgres and Redis together, for an agent that has neither: one call starts or joins them."""

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from slowwave.embedded.account import Account
from slowwave.embedded.binaries import require_postgres_wheel
from slowwave.embedded.postgres import PostgresServer
from slowwave.embedded.redis import CACHE_BYTES, CacheServer, RedisServer
from slowwave.embedded.server import Server


@dataclass(frozen=True, slots=True)
class EmbeddedServices:
    """The running services of one home. They end with the last process that asked for them, however that ends."""

    home: Path
    postgres: PostgresServer
    redis: RedisServer | None
    cache: CacheServer | None

    @classmethod
    def start(
        cls,
        home: Path,
        *,
        redis: bool = True,
        durable: bool = True,
        cache_bytes: int = CACHE_BYTES,
        timeout_seconds: float = 60.0,
    ) -> Self:
        """Return the services of *home*, made at the first start, joined when another process runs them.

        With *redis* that is a broker, and a cache that takes *cache_bytes* and no more.

        Raises `Incorrect` when they cannot run here, and `Unavailable` when they did not start this time.
        """
        require_postgres_wheel()
        home = home.resolve()
        Account.choose(home).settle_in(home)
        with contextlib.ExitStack() as undo:
            postgres = PostgresServer(home / "postgres", durable=durable, timeout_seconds=timeout_seconds)
            undo.enter_context(postgres)
            broker = RedisServer(home / "redis", durable=durable, timeout_seconds=timeout_seconds) if redis else None
            if broker is not None:
                undo.enter_context(broker)
            cache = (
                CacheServer(home / "cache", most_bytes=cache_bytes, timeout_seconds=timeout_seconds) if redis else None
            )
            if cache is not None:
                undo.enter_context(cache)
            undo.pop_all()
        return cls(home, postgres, broker, cache)

    @property
    def servers(self) -> list[Server]:
        """The servers that run, in the order they were started."""
        return [self.postgres, *(server for server in (self.redis, self.cache) if server is not None)]

    @property
    def owned(self) -> bool:
        """True if the database was started here; False means joined."""
        return self.postgres.owned

    @property
    def url(self) -> str:
        """The database, as the login every process uses; it must first become slowwave_app or slowwave_dispatch."""
        return self.postgres.url()

    @property
    def owner_url(self) -> str:
        """The database, as the owner of the schema: for migrations and partitions."""
        return self.postgres.url("slowwave_owner")

    @property
    def superuser_url(self) -> str:
        """The database `postgres`, as superuser: for tests and rescue, for no process of ours."""
        return self.postgres.url("postgres", "postgres")

    @property
    def broker_url(self) -> str | None:
        """The broker, as Celery wants it; None without Redis."""
        return self.redis.broker_url if self.redis else None

    @property
    def cache_url(self) -> str | None:
        """The cache, as redis-py wants it; None without Redis."""
        return self.cache.url() if self.cache else None

    def stop(self) -> None:
        """Use them no longer: what nobody else uses ends in good order."""
        for server in reversed(self.servers):
            server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
