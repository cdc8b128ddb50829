"""Access over HTTP: keys created, listed and revoked; and the caller behind a key."""

import uuid
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from slowwave.domain.access import EVERY, VERBS, ApiKey, Caller
from slowwave.domain.arguments import Name, Names, checked
from slowwave.errors import Incorrect
from slowwave.memory.verb_group import TheParts
from slowwave.store.access.keys import PostgresKeys
from slowwave.validation_messages import nearest

Verbs = Annotated[Names, Field(min_length=1)]


class Access:
    """The keys of an installation."""

    @checked
    def __init__(self, parts: TheParts) -> None:
        self._parts = parts
        self._keys = PostgresKeys(parts.database)

    @checked
    def create(self, name: Name, verbs: Verbs, *, tenant: Name | None = None) -> tuple[ApiKey, str]:
        """Create a key of a tenant for *verbs*, `*` for all; return it, and its secret, which is shown only once."""
        unknown = [
            f"{verb!r} is not a verb{nearest(verb, [*VERBS, EVERY])}" for verb in verbs if verb not in (*VERBS, EVERY)
        ]
        if unknown:
            raise Incorrect.listing("a key", unknown, hint=f"verbs are {', '.join(VERBS)}, and {EVERY} for all")
        return self._keys.create(self._tenant(tenant), name, verbs)

    @checked
    def listing(self, *, tenant: Name | None = None) -> Sequence[ApiKey]:
        """Return the keys of a tenant, oldest first, including revoked ones."""
        return self._keys.listing(self._tenant(tenant))

    @checked
    def revoke(self, key: uuid.UUID, *, tenant: Name | None = None) -> ApiKey:
        """Revoke a key permanently; return it. Servers refuse it within a second. Raises `NotFound`."""
        return self._keys.revoke(self._tenant(tenant), key)

    def admit(self, secret: str, verb: str) -> Caller:
        """Return the caller behind a key, and spend one token of its limit; see `slowwave.store.access.rate_limit`."""
        return self._parts.gate.admit(secret, verb)

    def alone(self) -> Caller:
        """Return the caller when no key is required: the only user of this host."""
        return Caller(self._parts.settings.tenant, None, (EVERY,))

    def _tenant(self, tenant: str | None) -> str:
        return self._parts.settings.tenant if tenant is None else tenant

    def __repr__(self) -> str:
        return "<Access>"
