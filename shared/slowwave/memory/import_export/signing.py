"""The signature of an export, which only a holder of the tenant's key can make or check."""

import hmac
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from slowwave.domain.limits import canonical_json
from slowwave.store.fingerprints import Fingerprinter, known_fingerprinter
from slowwave.wiring import Parts

TAG_BYTES = 4
"""The bytes of the tag of a line. Tags only find the changed lines; the signature of 32 bytes proves the change."""

SignatureState = Literal["valid", "unchecked", "foreign", "missing"]
"""Whether the signature of an export matches: it does; no key was at hand; another key made it; there is none."""


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs exports with *key*, which is made from the tenant's key for this purpose only."""

    key: bytes

    @classmethod
    def of(cls, prints: Fingerprinter) -> "Signer":
        """Return the signer with the tenant's key in *prints*."""
        return cls(prints.payload(b"export key"))

    @property
    def name(self) -> str:
        """The public name of the key, from which nobody can compute the key."""
        return self._digest(b"name", b"")[:8].hex()

    def tag(self, line: bytes) -> bytes:
        """Return the tag of a *line*, of `TAG_BYTES` bytes."""
        return self._digest(b"line", line)[:TAG_BYTES]

    def signature(self, foot: Mapping[str, Any]) -> str:
        """Return the signature of a *foot*, which has a digest of all lines before it, without its own signature."""
        return self._digest(b"foot", canonical_json({**foot, "signature": ""})).hex()

    def _digest(self, kind: bytes, data: bytes) -> bytes:
        return hmac.digest(self.key, kind + b" " + data, "sha256")


KeyOf = Callable[[str], Signer | None]
"""A function that returns the signer of a tenant, or None if the tenant's key is not at hand."""


def signer_of(parts: Parts, tenant: str) -> Signer | None:
    """Return the signer of *tenant*; None if the database knows no such tenant. Raises `Unavailable`."""
    with parts.of(tenant).database.tenant(tenant) as connection:
        prints = known_fingerprinter(connection)
    return None if prints is None else Signer.of(prints)


def changed_lines(signed: bytes, found: bytes | bytearray) -> Iterator[str]:
    """Yield a sentence for each place where the tags of the lines *found* differ from the *signed* tags.

    If lines were added or removed, only the first such place is known.
    """
    differing = (
        number
        for number, at in enumerate(range(0, max(len(signed), len(found)), TAG_BYTES), 1)
        if signed[at : at + TAG_BYTES] != found[at : at + TAG_BYTES]
    )
    if len(signed) == len(found):
        yield from (f"line {number}: was changed after the export" for number in differing)
        return
    yield (
        f"line {next(differing)}: from here on, lines were "
        f"{'added' if len(found) > len(signed) else 'removed'} after the export"
    )
