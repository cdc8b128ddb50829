"""Connections to Postgres: the configured one, or the embedded one."""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from slowwave.errors import Incorrect
from slowwave.rules.folders import default_roots
from slowwave.settings import Settings, secret
from slowwave.store.engine import engine
from slowwave.store.migrate import migrate
from slowwave.store.packs import registered_by
from slowwave.wiring.parts import Parts

_NOT_REGISTERED = {
    "tenant", "home", "url", "owner_url", "read_url", "read_stale_seconds", "cells", "pooler", "broker_url",
    "cache_url", "cache_bytes", "outbox", "outbox_bytes", "reports", "traces_url", "tick_seconds", "poll_seconds",
    "overdue_seconds", "stall_seconds", "worker_processes", "api_processes", "pool_size", "flower_port", "log_level",
}  # fmt: skip
"""Settings that change nothing in a registration. The processes of one installation differ in them."""
_PACKAGE = Path(__file__).resolve().parent.parent


def installed(settings: Settings) -> bytes:
    """Return a SHA-256 over the *settings* (without secrets and addresses), and over the sizes and times of all files
    in the settings.

    No file is read, so the function takes only milliseconds. Files without read permission are left out.
    """
    said = settings.model_dump(exclude=_NOT_REGISTERED)
    digest = hashlib.sha256(f"{sys.version} {said}".encode("utf-8", "surrogateescape"))
    beside = [settings.rules.resolve().parent / name for name in ("policies", "canaries")] if settings.rules else []
    for root in dict.fromkeys([settings.rules, *beside, *(folder.parent for folder in default_roots()), _PACKAGE]):
        for line in _files(root) if root else ():
            digest.update(line.encode("utf-8", "surrogateescape"))
    return digest.digest()


def _files(root: Path | str) -> Iterator[str]:
    """Yield one line per file under *root*, with path, size and time, in a fixed order."""
    with suppress(OSError), os.scandir(root) as found:
        for entry in sorted(found, key=lambda entry: entry.name):
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            else:
                with suppress(OSError):
                    stat = entry.stat()
                    yield f"{entry.path} {stat.st_size} {stat.st_mtime_ns}\n"


def migrate_database(owner_url: str) -> None:
    """Migrate the schema to the current version. *owner_url* connects as slowwave_owner."""
    owner = engine(owner_url, pool_size=1)
    try:
        migrate(owner)
    finally:
        owner.dispose()


def connect(settings: Settings) -> Parts:
    """Return the parts of a process that uses the Postgres of the settings; with cells, those of the default cell.

    Raises `Incorrect` if no Postgres is set.
    """
    url = secret(settings.url)
    if url is None and settings.cells is None:
        raise Incorrect("SLOWWAVE_URL is not set", hint="start the embedded services with `slowwave up`")
    if settings.preset is not None:
        from slowwave.rules.lifecycle import choose_lifecycle

        choose_lifecycle(settings.preset, settings.rules)  # refuses an unknown preset at once, not at its first use
    if settings.cells is not None:
        parts = _home(settings, settings.cells)
    else:
        parts = Parts(settings, url or "", secret(settings.broker_url))
    _ = parts.database  # opens no connection, and refuses a malformed address
    return parts


def _home(settings: Settings, path: Path) -> Parts:
    """Return the parts of the default cell, with those of the other cells behind them."""
    if settings.url is not None:
        raise Incorrect("SLOWWAVE_CELLS and SLOWWAVE_URL are both set", hint="unset SLOWWAVE_URL")
    from slowwave.wiring.cells import Cell, Cells

    def made(cells: Cells[Parts], name: str, cell: Cell) -> Parts:
        own = {"url": cell.url, "owner_url": cell.owner_url, "read_url": cell.read_url}
        url = cell.url.get_secret_value()
        return Parts(settings.model_copy(update=own), url, secret(settings.broker_url), cells=cells, cell=name)

    return Cells(path, made, settings.database_bytes).home


def open_parts(settings: Settings, *, redis: bool = False) -> Parts:
    """Return the parts of a process. If the settings name no Postgres, the process uses the embedded services.

    If no process runs the embedded services, this process starts them, migrates the schema and registers the packs.
    Otherwise this process connects to the running services. *redis* also starts the broker. A running broker is used in
    any case.
    """
    if not settings.embedded:
        return connect(settings)
    from slowwave.embedded_services import EmbeddedServices, RedisServer

    running = RedisServer(settings.home.resolve() / "redis").pid is not None
    services = EmbeddedServices.start(settings.home, redis=redis or running, cache_bytes=settings.cache_bytes)
    try:
        migrate_database(services.owner_url)
        parts = Parts(settings, services.url, secret(settings.broker_url) or services.broker_url, services)
        register_if_new(parts)
    except BaseException:
        services.stop()
        raise
    return parts


def open_existing(settings: Settings) -> Parts | None:
    """Return the parts of a process, as `open_parts` does; None if the home has no embedded database yet."""
    if settings.embedded:
        from slowwave.embedded_services import PostgresServer

        if not (PostgresServer(settings.home.resolve() / "postgres").data / "PG_VERSION").exists():
            return None
    return open_parts(settings)


def join_embedded(settings: Settings) -> Parts | None:
    """Return the parts of a process that uses the running embedded services; return None if no embedded
    services run.
    """
    from slowwave.embedded_services import PostgresServer, RedisServer

    home = settings.home.resolve()
    postgres, redis = PostgresServer(home / "postgres"), RedisServer(home / "redis")
    if postgres.pid is None:
        return None
    broker = secret(settings.broker_url) or (redis.broker_url if redis.pid is not None else None)
    return Parts(settings, postgres.url(), broker)


def register_if_new(parts: Parts) -> None:
    """Register the packs, unless the last registration came from the same installation.

    The check saves time: loading the packs takes longer than most commands. An invalid pack is not registered, and an
    earlier registration of it stays; a warning lists its problems. Raises `Incorrect` if other files are invalid.
    """
    if not is_registered(parts):
        from slowwave.wiring.registration import register_valid

        register_valid(parts, installed(parts.settings))


def is_registered(parts: Parts) -> bool:
    """Return whether the last registration of packs came from the same installation, with the present files."""
    with parts.database.dispatch() as connection:
        return registered_by(connection) == installed(parts.settings)
