"""Fingerprints are keyed digests. Without the tenant's key, nobody can guess a forgotten fact from its fingerprint.

The database has the tenants' keys. If SLOWWAVE_ID_KEY is set, a fingerprint also depends on that key.
"""

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import BeliefKey, normal
from slowwave.domain.scope import keyed_namespace
from slowwave.store.blocks.binary_results import execute_binary


@dataclass(frozen=True, slots=True)
class Fingerprinter:
    """Computes fingerprints by HMAC-SHA256 with a tenant's key."""

    key: bytes

    def fact(self, subject: str, predicate: str, object: str) -> bytes:
        """Return the fingerprint of a fact. With an empty *object*, it stands for all objects of the predicate."""
        return _digest(self.key, "fact", normal(subject), predicate, normal(object))

    def belief(self, key: BeliefKey) -> bytes:
        """Return the digest of the belief with this key."""
        subject, predicate, object_ = key
        return _digest(self.key, "belief", subject, predicate, *(() if object_ is None else (object_,)))

    def word(self, stem: str) -> int:
        """Return the digest of a word by which beliefs are found, as a 64-bit integer for the database."""
        return int.from_bytes(_digest(self.key, "word", stem)[:8], signed=True)

    def request(self, parts: Sequence[str]) -> bytes:
        """Return the key of a model request, as a keyed digest: a short text could be guessed from a plain digest."""
        return _digest.__wrapped__(self.key, "request", *parts)

    def payload(self, payload: bytes) -> bytes:
        """Return the digest of a payload. After the payload is erased, the ledger keeps this digest as a proof."""
        return hmac.digest(self.key, payload, "sha256")


@lru_cache(maxsize=16_384)
def _digest(key: bytes, *parts: str) -> bytes:
    """Return the digest of *parts*. The last results are cached, because runs ask for the same digests repeatedly."""
    text = "".join([f"{len(part)}:{part}" for part in parts])
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256")


def fingerprinter(connection: Connection) -> Fingerprinter:
    """Return the fingerprinter of the transaction's tenant. The tenant must have stored something before."""
    found = known_fingerprinter(connection)
    assert found is not None
    return found


def ensure_key(connection: Connection) -> None:
    """Store a key for the fingerprints of the transaction's tenant, unless there is one."""
    connection.exec_driver_sql(
        "INSERT INTO tenants (tenant, fingerprint_key) VALUES (slowwave_tenant(), %(key)s) ON CONFLICT DO NOTHING",
        {"key": secrets.token_bytes(32)},
    )


def known_fingerprinter(connection: Connection) -> Fingerprinter | None:
    """Return the fingerprinter of the transaction's tenant; None if the tenant never stored anything."""
    rows = execute_binary(connection, "SELECT fingerprint_key FROM tenants", {})
    return fingerprinter_with(rows[0].fingerprint_key) if rows else None


def fingerprinter_with(stored: bytes) -> Fingerprinter:
    """Return the fingerprinter of the tenant with the *stored* key, combined with the id key if there is one."""
    namespace = keyed_namespace()
    return Fingerprinter(stored if namespace is None else hmac.digest(namespace.bytes, stored, "sha256"))
