"""Access control of the viewer: visitors, their permissions, and a check of the origin of forms."""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from fastapi import Request

from slowwave.api.viewer.sessions import OwnSessions, Sessions
from slowwave.domain.access import Verb
from slowwave.errors import Forbidden, Unauthorized
from slowwave.formatting import brief
from slowwave.memory.operations import Access

COOKIE = "slowwave_viewer"
LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
"""The names of this host. A site whose DNS entry points to this host has a name that is not in this list."""
_READING: tuple[Verb, ...] = ("recall", "operate", "review")


class Guest(Protocol):
    """The holder of a key, with the key's tenant, and the verbs that the key allows (`*` for all verbs)."""

    @property
    def tenant(self) -> str:
        """The tenant of the key."""

    @property
    def verbs(self) -> Collection[str]:
        """The verbs that the key allows."""


Keys = Callable[[str], Guest]
"""A function that returns the holder of a key. The function raises a `SlowwaveError` for an invalid key."""


def guests(access: Access) -> Keys:
    """Return a function that looks up a key of the installation, and spends one token of the key's rate limit."""

    def guest(key: str) -> Guest:
        for verb in _READING:
            try:
                return access.admit(key, verb)
            except Forbidden:
                continue
        raise Forbidden(
            "this key allows only push, and no page of the viewer", hint="`slowwave keys create` makes another"
        )

    return guest


@dataclass(frozen=True, slots=True)
class Visitor:
    """A visitor of the pages of one *tenant*.

    *cookie* is the browser's cookie. If *fresh*, the cookie is new and must be set.
    """

    tenant: str
    verbs: frozenset[str]
    cookie: str
    fresh: bool = False
    keyed: bool = False

    @property
    def token(self) -> str:
        """A token that only pages for this browser contain."""
        return hashlib.sha256(f"form:{self.cookie}".encode()).hexdigest()

    def may(self, *verbs: str) -> bool:
        """Return whether any of *verbs* is allowed."""
        return not verbs or "*" in self.verbs or not self.verbs.isdisjoint(verbs)

    def __repr__(self) -> str:
        return brief(self, f"tenant {self.tenant}", ", ".join(sorted(self.verbs)))


class ViewerAccess:
    """Access control for *tenant*: visitors need a key that *keys* accepts.

    Without *keys*, anyone may enter who reaches the server under a name of this host.

    *sessions* are in memory, so a restart logs all visitors out. Each page checks the key, so a revoked key ends its
    session.
    """

    def __init__(self, keys: Keys | None, tenant: str, sessions: Sessions | None = None) -> None:
        self._keys = keys
        self._tenant = tenant
        self._sessions = sessions or OwnSessions()

    @property
    def keyed(self) -> bool:
        """True if a key is required."""
        return self._keys is not None

    def visitor(self, request: Request) -> Visitor:
        """Return the visitor who sent *request*.

        Raises `Unauthorized` if a required key is missing. Without *keys*, raises `Forbidden` for another host name.
        """
        cookie = request.cookies.get(COOKIE, "")
        if self._keys is None:
            if (request.url.hostname or "") not in LOCAL:
                raise Forbidden(
                    "without keys, the server answers only requests to a name of this host", hint="use localhost"
                )
            fresh = len(cookie) < 32
            return Visitor(self._tenant, frozenset("*"), secrets.token_urlsafe(32) if fresh else cookie, fresh)
        if not (key := self._sessions.key(_name(cookie))):
            raise Unauthorized("this page requires a key", hint="log in with a key")
        guest = self._keys(key)
        return Visitor(guest.tenant, frozenset(guest.verbs), cookie, keyed=True)

    def enter(self, key: str) -> str:
        """Return the cookie of a new session for *key*. Raises the errors of `Keys`."""
        assert self._keys is not None
        self._keys(key)
        cookie = secrets.token_urlsafe(32)
        self._sessions.begin(_name(cookie), key)
        return cookie

    def leave(self, cookie: str) -> None:
        """End the session with this *cookie*."""
        self._sessions.end(_name(cookie))

    def require_own_form(self, request: Request, token: str, visitor: Visitor | None) -> None:
        """Raise `Forbidden` for a form that was not sent from a page shown to this *visitor*."""
        site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
        own = site in (None, "same-origin") and (origin is None or urlsplit(origin).netloc == request.url.netloc)
        if not own or (visitor is not None and not hmac.compare_digest(token, visitor.token)):
            raise Forbidden(
                "this form was not sent from a page of the viewer",
                hint="open the page in the viewer, and send its form",
            )


def _name(cookie: str) -> str:
    """Return the hash of a cookie, which is the name of the session in memory."""
    return hashlib.sha256(cookie.encode()).hexdigest()
