"""The cache of working memory: the Redis that the settings name, or the embedded Redis."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from slowwave.domain.scope import Scope
from slowwave.errors import Unavailable
from slowwave.settings import Settings, secret

if TYPE_CHECKING:
    from slowwave.cache import RedisCache
    from slowwave.embedded_services import CacheServer


@dataclass(frozen=True, slots=True)
class OpenCache:
    """A cache, and its server if this process started it."""

    cache: "RedisCache"
    server: "CacheServer | None" = None

    def close(self) -> None:
        """Close the connections, and stop the server if this process started the server."""
        self.cache.close()
        if self.server is not None:
            self.server.stop()


def open_cache(settings: Settings, *, start: bool, noted: Callable[[Scope, bool], object]) -> OpenCache:
    """Return the cache at SLOWWAVE_CACHE_URL, or else the embedded cache. With *start*, the embedded cache is started.

    Each read calls *noted* with the scope of the read, and True for a hit. Raises `Unavailable` if there is no cache.
    """
    from slowwave.cache import RedisCache  # this import takes a tenth of a second

    url = secret(settings.cache_url)
    if url is not None:
        return OpenCache(RedisCache(url, noted=noted))
    if settings.embedded:
        from slowwave.embedded_services import CacheServer

        server = CacheServer(settings.home.resolve() / "cache", most_bytes=settings.cache_bytes)
        if start:
            server.start()
        if server.pid is not None:
            return OpenCache(RedisCache(server.url(), noted=noted), server)
    raise Unavailable("there is no cache for working memory", hint="set SLOWWAVE_CACHE_URL to a Redis")
