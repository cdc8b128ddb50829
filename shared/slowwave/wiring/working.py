"""Working memory, composed: the cache the settings name, or the embedded Redis, and what leaves it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from slowwave.cache import RedisCache
from slowwave.domain.run import SUMMARISE
from slowwave.domain.scope import Scope
from slowwave.domain.working import Conversation, Limits
from slowwave.errors import Unavailable
from slowwave.jobs.working import WorkingMemory
from slowwave.rules.cadence import TOKENS
from slowwave.settings import secret

if TYPE_CHECKING:
    from slowwave.embedded import RedisServer
    from slowwave.wiring.parts import Parts

PRESSURE = f"{SUMMARISE}/token_pressure"
"""The schedule that fires when turns leave a working memory."""


@dataclass(frozen=True, slots=True)
class OpenCache:
    """A cache, and the server behind it if this process started it."""

    cache: RedisCache
    server: "RedisServer | None" = None

    def close(self) -> None:
        """Hang up, and end the server if it was started here."""
        self.cache.close()
        if self.server is not None:
            self.server.stop()


def open_cache(parts: "Parts") -> OpenCache:
    """Return the cache of SLOWWAVE_CACHE_URL, else the embedded one, started if this process runs the database too.

    Raises `Unavailable` where there is neither.
    """

    def noted(scope: Scope, there: bool) -> None:
        parts.tally.cached(scope.tenant, hit=there)

    url = secret(parts.settings.cache_url)
    if url is not None:
        return OpenCache(RedisCache(url, noted=noted))
    if parts.settings.url is None:
        from slowwave.embedded import RedisServer

        server = RedisServer(parts.settings.home.resolve() / "redis")
        if parts.services is not None:
            server.start()
        if server.pid is not None:
            return OpenCache(RedisCache(server.url(), noted=noted), server)
    raise Unavailable("there is no cache for working memory", hint="set SLOWWAVE_CACHE_URL to a Redis")


def working_memory(parts: "Parts", scope: Scope, conversation: str) -> WorkingMemory:
    """Return what an agent has in mind in one conversation."""
    settings = parts.settings
    summarising = parts.lifecycle.triggers.get(SUMMARISE)
    tokens = settings.working_tokens or (summarising and summarising.token_pressure) or TOKENS
    limits = Limits(tokens, settings.working_turns, settings.working_seconds)

    def ask(of: Scope, position: int) -> None:
        for due in parts.schedule.fire_scope(PRESSURE, of, str(position), by="working memory", target=position):
            parts._ring(due.scope, due.job)

    return WorkingMemory(Conversation(scope, conversation), parts.cache.cache, limits, parts.push, ask)
