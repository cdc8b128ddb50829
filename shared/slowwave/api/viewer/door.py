"""The door of the viewer: who looks, what they may, and that a form was sent from a page of ours."""

import hashlib
import hmac
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from fastapi import Request

from slowwave import clock
from slowwave.brief import brief
from slowwave.domain.access import Verb
from slowwave.errors import Forbidden, Unauthorised
from slowwave.memory.operating.access import Access

COOKIE = "slowwave_viewer"
SESSION_SECONDS = 12 * 3600.0
MOST_SESSIONS = 1_000
"""Visitors who are logged in at once; beyond, the one who came first logs in again."""
LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names of this host: a page elsewhere that has its own name lead here comes by another."""


class Guest(Protocol):
    """Somebody whom a key lets in: the tenant it is of, and the verbs it allows, `*` for all."""

    @property
    def tenant(self) -> str:
        """The tenant of the key."""

    @property
    def verbs(self) -> Collection[str]:
        """The verbs that the key allows."""


Keys = Callable[[str], Guest]
"""Returns whom a key lets in. Raises an error of ours for one that lets nobody in."""
_READING: tuple[Verb, ...] = ("recall", "operate", "review")


def guests(access: Access) -> Keys:
    """Return the keys of an installation: each lets in whoever came with it, a token of its bucket spent."""

    def guest(key: str) -> Guest:
        for verb in _READING:
            try:
                return access.admit(key, verb)
            except Forbidden:
                continue
        raise Forbidden("this key opens no page: it is for pushing alone", hint="`slowwave keys create` makes another")

    return guest


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who looks at pages of one *tenant*. *cookie* is what their browser holds, or is to hold if *fresh*."""

    tenant: str
    verbs: frozenset[str]
    cookie: str
    fresh: bool = False
    keyed: bool = False

    @property
    def token(self) -> str:
        """A word that only pages sent to this browser can know."""
        return hashlib.sha256(f"form:{self.cookie}".encode()).hexdigest()

    def may(self, *verbs: str) -> bool:
        """Return whether any of *verbs* is allowed."""
        return not verbs or "*" in self.verbs or not self.verbs.isdisjoint(verbs)

    def __repr__(self) -> str:
        return brief(self, f"tenant {self.tenant}", ", ".join(sorted(self.verbs)))


class Door:
    """Lets visitors in by *keys*, or, without any, whoever comes from this host, to *tenant*.

    A session is kept in this process: a restart logs everybody out. Its key is asked anew at each page, so that nobody
    looks on with one that is revoked.
    """

    def __init__(self, keys: Keys | None, tenant: str) -> None:
        self._keys = keys
        self._tenant = tenant
        self._sessions: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def keyed(self) -> bool:
        """True if a key is needed."""
        return self._keys is not None

    def visitor(self, request: Request) -> Visitor:
        """Return who looks. Raises `Unauthorised` where a key is needed, `Forbidden` under another's name."""
        cookie = request.cookies.get(COOKIE, "")
        if self._keys is None:
            if (request.url.hostname or "") not in LOCAL:
                raise Forbidden("without keys only this host is served, by its own name", hint="ask for localhost")
            fresh = len(cookie) < 32
            return Visitor(self._tenant, frozenset("*"), secrets.token_urlsafe(32) if fresh else cookie, fresh)
        with self._lock:
            key, until = self._sessions.get(_name(cookie), ("", 0.0))
        if not key or until < clock.monotonic():
            raise Unauthorised("nobody is logged in", hint="log in with a key")
        guest = self._keys(key)
        return Visitor(guest.tenant, frozenset(guest.verbs), cookie, keyed=True)

    def enter(self, key: str) -> str:
        """Return the cookie of a new session by *key*. Raises what `Keys` raises."""
        assert self._keys is not None
        self._keys(key)
        cookie = secrets.token_urlsafe(32)
        with self._lock:
            self._sessions[_name(cookie)] = (key, clock.monotonic() + SESSION_SECONDS)
            while len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)
        return cookie

    def leave(self, cookie: str) -> None:
        """End a session."""
        with self._lock:
            self._sessions.pop(_name(cookie), None)

    def require_own_form(self, request: Request, token: str, visitor: Visitor | None) -> None:
        """Raise `Forbidden` for a form that was not sent from a page that this *visitor* was shown."""
        site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
        own = site in (None, "same-origin") and (origin is None or urlsplit(origin).netloc == request.url.netloc)
        if not own or (visitor is not None and not hmac.compare_digest(token, visitor.token)):
            raise Forbidden("this form was not sent from a page of the viewer", hint="open the page, and send it there")

    def __repr__(self) -> str:
        return brief(self, "by keys" if self.keyed else "from this host")


def _name(cookie: str) -> str:
    """Return the name under which a session is kept: who reads memory learns no cookie from it."""
    return hashlib.sha256(cookie.encode()).hexdigest()
