"""The folders, the lock, and the Postgres and Redis of an installation."""

import contextlib
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import SecretStr

from slowwave import wiring
from slowwave.embedded_services import CacheServer, EmbeddedServices, RedisServer, Server
from slowwave.embedded_services.os_user import Account
from slowwave.errors import Incorrect, SlowwaveError, Unavailable
from slowwave.memory import health
from slowwave.threads import log_safely
from slowwave.wiring import Settings, moving


def private_folder(folder: Path) -> Path:
    """Return *folder*: create it if it is missing, and make it private to this user.

    Raises `Incorrect` if *folder* is a link or belongs to another user, because logs would go there.
    """
    folder = folder.parent.resolve() / folder.name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise Incorrect(f"{folder} is not a folder of this user", hint="move it away, or set SLOWWAVE_HOME elsewhere")
    if stat.S_IMODE(found.st_mode) & 0o077:
        folder.chmod(0o700)
    return folder


@contextlib.contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold the lock at *path* during the block. Raises `Incorrect` when another process holds it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        _lock(handle, path.parent)
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, home: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(handle, 20, 0).decode(errors="replace")
        who = f" as process {holder}" if holder.isdigit() else ""
        raise Incorrect(
            f"`slowwave up` is already running for {home}{who}",
            hint="end it first, or set SLOWWAVE_HOME to another folder",
        ) from None


def settle_in(settings: Settings) -> None:
    """Prepare the home folder if an embedded server is needed."""
    if settings.embedded or settings.broker_url is None:
        home = settings.home.resolve()
        Account.choose(home).settle_in(home)


@contextmanager
def services(settings: Settings, say: Callable[[str], None]) -> Iterator[tuple[Settings, list[Server]]]:
    """Yield the settings with all addresses, and the embedded servers that run for these settings."""
    servers: list[Server] = []
    found: dict[str, str | None] = {}
    needed = [
        name
        for name, url in (("Postgres", settings.url or settings.cells), ("Redis", settings.broker_url))
        if url is None
    ]
    if needed:
        say(f"starting the embedded {' and '.join(needed)} in {settings.home}")
    if settings.embedded:
        embedded = EmbeddedServices.start(
            settings.home, redis=settings.broker_url is None, cache_bytes=settings.cache_bytes
        )
        servers = embedded.servers
        found = {"url": embedded.url, "owner_url": embedded.owner_url}
        if embedded.redis:
            found |= {"broker_url": embedded.broker_url, "cache_url": embedded.cache_url}
    elif settings.broker_url is None:
        home = settings.home.resolve()
        broker, cache = RedisServer(home / "redis"), CacheServer(home / "cache", most_bytes=settings.cache_bytes)
        broker.start()
        servers.append(broker)
        found = {"broker_url": broker.broker_url}
        if settings.cache_url is None:
            cache.start()
            servers.append(cache)
            found |= {"cache_url": cache.url()}
    try:
        missing = {name: SecretStr(url) for name, url in found.items() if url and getattr(settings, name) is None}
        yield settings.model_copy(update=missing), servers
    finally:
        for server in reversed(servers):
            server.stop()


def revive(servers: list[Server], say: Callable[[str], None]) -> None:
    """Restart each server that has died, at the same address and with all committed data.

    The function tries every server, then raises `Unavailable` with all servers that did not start.
    """
    troubles = []
    for server in servers:
        try:
            if server.pid is None:
                log_safely(say, f"{server.name} has died and is restarted; its log is {server.log}")
                server.start()
        except SlowwaveError as error:
            troubles.append(f"{server.name} does not start: {error.message}")
        except (OSError, MemoryError) as error:
            troubles.append(f"{server.name} cannot be checked: {str(error) or 'no memory'}")
    if troubles:
        raise Unavailable("; ".join(troubles))


def prepare(parts: wiring.Parts) -> None:
    """Migrate the schema and register packs. Without the owner's address, only check that the schema is current."""
    if parts.cells is not None:
        return moving.migrate(parts)
    owner = parts.settings.owner_url
    if owner is None:
        return health.require_schema(parts)
    wiring.migrate_database(owner.get_secret_value())
    return wiring.register_if_new(parts)
