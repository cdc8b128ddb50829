"""The keys of HTTP callers: created, listed and revoked for a tenant. The store has only a hash of each key."""

import hashlib
import secrets
import uuid
from collections.abc import Sequence

from slowwave.domain.access import ApiKey
from slowwave.errors import NotFound
from slowwave.store.database import Repository
from slowwave.store.statements import execute

PREFIX = "sw_"
"""The prefix of every key. Repository scanners recognise leaked keys by this prefix."""
BYTES = 32


def hashed(secret: str) -> bytes:
    """Return the SHA-256 of a key. A fast hash is enough, because nobody can guess 256 random bits."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


class PostgresKeys(Repository):
    """The keys of each tenant. Every method is one transaction."""

    def create(self, tenant: str, name: str, verbs: Sequence[str]) -> tuple[ApiKey, str]:
        """Create a key; return the key's record and the key's secret. The secret is not stored."""
        secret = PREFIX + secrets.token_urlsafe(BYTES)
        with self._database.tenant(tenant) as connection:
            row = execute(connection, "access/add", name=name, hash=hashed(secret), verbs=list(verbs))
            return ApiKey(**row.mappings().one()), secret

    def listing(self, tenant: str) -> list[ApiKey]:
        """Return the keys of a tenant, oldest first, including revoked keys."""
        with self._database.tenant(tenant) as connection:
            return [ApiKey(**row) for row in execute(connection, "access/list").mappings()]

    def revoke(self, tenant: str, key: uuid.UUID) -> ApiKey:
        """Revoke a key for good; return the revoked key. Raises `NotFound`."""
        with self._database.tenant(tenant) as connection:
            row = execute(connection, "access/revoke", key=key).mappings().one_or_none()
        if row is None:
            raise NotFound(f"there is no key {key}", hint="`slowwave keys list` shows them")
        return ApiKey(**row)
