"""The Postgres and the Redis that the programs stand on: those the settings name, else embedded ones kept alive."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pydantic import SecretStr

from slowwave import wiring
from slowwave.embedded import EmbeddedServices, RedisServer, Server
from slowwave.embedded.account import Account
from slowwave.errors import SlowwaveError
from slowwave.memory import health
from slowwave.wiring import Settings


@contextmanager
def services(settings: Settings) -> Iterator[tuple[Settings, list[Server]]]:
    """Give the settings with every address filled in, and the embedded servers behind them, running."""
    servers: list[Server] = []
    found: dict[str, str | None] = {}
    if settings.url is None:
        embedded = EmbeddedServices.start(settings.home, redis=settings.broker_url is None)
        servers = [embedded.postgres, *([embedded.redis] if embedded.redis else [])]
        found = {"url": embedded.url, "owner_url": embedded.owner_url}
        if embedded.redis:
            found |= {"broker_url": embedded.broker_url, "cache_url": embedded.cache_url}
    elif settings.broker_url is None:
        Account.choose(settings.home).settle_in(settings.home)
        broker = RedisServer(settings.home.resolve() / "redis")
        broker.start()
        servers = [broker]
        found = {"broker_url": broker.broker_url, "cache_url": broker.url()}
    try:
        missing = {name: SecretStr(url) for name, url in found.items() if url and getattr(settings, name) is None}
        yield settings.model_copy(update=missing), servers
    finally:
        for server in reversed(servers):
            server.stop()


def revive(servers: list[Server], say: Callable[[str], None]) -> None:
    """Start again what has died, at the same address and with what was committed."""
    for server in servers:
        if server.pid is not None:
            continue
        say(f"{server.name} is gone and starts again; its log is {server.log}")
        try:
            server.start()
        except SlowwaveError as error:
            say(f"{server.name} does not start: {error.message}")


def prepare(parts: wiring.Parts) -> None:
    """Bring the schema up to date and register packs where the owner's address is known; else require both done."""
    owner = parts.settings.owner_url
    if owner is None:
        health.require_schema(parts)
        return
    wiring.migrate_database(owner.get_secret_value())
    wiring.register(parts)
