"""The rate limit of HTTP callers: a key identifies its caller, and each request spends a token of the key's bucket."""

import threading
from dataclasses import dataclass

from slowwave.core.token_bucket import DrawResult, Rate, draw_token
from slowwave.domain.access import EVERY, VERBS, Caller
from slowwave.errors import Crowded, Forbidden, Unauthorized
from slowwave.runtime import clock
from slowwave.store.access.keys import hashed
from slowwave.store.database import Database
from slowwave.store.statements import execute

CACHE_SECONDS = 1.0
"""Seconds for which a process may spend drawn tokens. A revoked key may work in this process for the same time."""
SHARE = 20
"""A process draws a burst divided by this number at once. Other processes still find tokens, and few requests reach the
database.
"""
MOST_CACHED = 10_000


@dataclass(slots=True)
class _CachedKey:
    caller: Caller
    tokens: int
    until: float


class KeyAuthentication:
    """Checks the API keys of requests, and limits how many requests a key may make.

    For each verb, a key may make *per_second* requests on average, and *burst* requests at once. The token buckets are
    in Postgres, so all processes share them.
    """

    def __init__(self, database: Database, per_second: float, burst: int) -> None:
        self._database = database
        self._rate = Rate(per_second, burst)
        self._cache: dict[tuple[bytes, str], _CachedKey] = {}
        self._lock = threading.Lock()

    def admit(self, secret: str, verb: str) -> Caller:
        """Return the caller with the key *secret*, and spend a token of the key's bucket for *verb*.

        Raises `Unauthorized` for an unknown key, `Forbidden` if the key does not allow *verb*, `Crowded` if the bucket
        is empty.
        """
        if known := self.admit_known(secret, verb):
            return known
        name = (hashed(secret), verb)
        caller, drawn = self._draw(name)
        if not drawn.granted:
            raise Crowded(
                f"this key has asked for {verb} too often: {self._rate.per_second:g} a second, "
                f"{self._rate.burst} at once",
                retry_after_seconds=drawn.retry_after_seconds,
                hint="wait as long as Retry-After says, or push in batches",
            )
        with self._lock:
            if len(self._cache) >= MOST_CACHED:
                self._cache.clear()
            self._cache[name] = _CachedKey(caller, drawn.granted - 1, clock.monotonic() + CACHE_SECONDS)
        return caller

    def admit_known(self, secret: str, verb: str) -> Caller | None:
        """Return the caller, and spend a token that this process has drawn; None if it has drawn none lately."""
        with self._lock:
            cached = self._cache.get((hashed(secret), verb))
            if cached is None or not cached.tokens or clock.monotonic() >= cached.until:
                return None
            cached.tokens -= 1
            return cached.caller

    def _draw(self, name: tuple[bytes, str]) -> tuple[Caller, DrawResult]:
        digest, verb = name
        with self._database.dispatch() as connection:
            found = execute(connection, "access/find", hash=digest, verb=verb)
            row = found.mappings().one_or_none()
            if row is None:
                raise Unauthorized("this key opens nothing here", hint="`slowwave keys list` shows which there are")
            caller = Caller(row["tenant"], row["key"], tuple(row["verbs"]))
            if not caller.may(verb):
                raise Forbidden(
                    f"this key is not for {verb!r}, but for {', '.join(caller.verbs)}",
                    hint=f"`slowwave keys create` makes one for any of {', '.join(VERBS)}, or {EVERY} for all",
                )
            wanted = max(1, self._rate.burst // SHARE)
            drawn = draw_token(self._rate, row["level"], row["seconds"] or 0.0, wanted)
            execute(connection, "access/set_bucket", key=caller.key, verb=verb, tenant=caller.tenant, level=drawn.level)
        return caller, drawn
