"""Fingerprints, as keyed digests: what is forgotten or proven must not be guessable from the database alone."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import BeliefKey, normal


@dataclass(frozen=True, slots=True)
class Fingerprinter:
    """HMAC-SHA256 under a tenant's key; of a belief or fact it is made once, for a run asks for it again and again."""

    key: bytes
    _made: dict[tuple[str, ...], bytes] = field(default_factory=dict, repr=False, compare=False)

    def fact(self, subject: str, predicate: str, object: str) -> bytes:
        """Return the fingerprint of a fact; an empty *object* stands for every object of the predicate."""
        return self._once("fact", normal(subject), predicate, normal(object))

    def belief(self, key: BeliefKey) -> bytes:
        """Return the digest of what may hold one value at a time."""
        subject, predicate, object_ = key
        return self._once("belief", subject, predicate, *([] if object_ is None else [object_]))

    def word(self, stem: str) -> int:
        """Return the digest of a word that beliefs are found by, in the width of a number of the database."""
        return int.from_bytes(self._once("word", stem)[:8], signed=True)

    def request(self, parts: Sequence[str]) -> bytes:
        """Return the key of a request to a model: short texts could be guessed from a plain digest."""
        return self._of("request", *parts)

    def payload(self, payload: bytes) -> bytes:
        """Return the proof of a payload, which stays when the payload is erased."""
        return hmac.digest(self.key, payload, "sha256")

    def _once(self, *parts: str) -> bytes:
        made = self._made.get(parts)
        if made is None:
            made = self._made[parts] = self._of(*parts)
        return made

    def _of(self, *parts: str) -> bytes:
        text = "".join([f"{len(part)}:{part}" for part in parts])
        return hmac.digest(self.key, text.encode("utf-8", "surrogatepass"), "sha256")


def fingerprinter(connection: Connection) -> Fingerprinter:
    """Return the fingerprinter of the transaction's tenant, which has been told something."""
    found = known_fingerprinter(connection)
    assert found is not None
    return found


def known_fingerprinter(connection: Connection) -> Fingerprinter | None:
    """Return the fingerprinter of the transaction's tenant; None of one that has never been told anything."""
    key = connection.exec_driver_sql("SELECT fingerprint_key FROM tenants").scalar_one_or_none()
    return None if key is None else Fingerprinter(bytes(key))
