"""Versions of the shipped pack that extract less, or something else."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from slowwave import wiring
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.ports.context import proposed
from slowwave.rules import Pack
from slowwave.rules.canaries import Canary
from slowwave.wiring import Parts
from tests.contract.harness import PACK

VERSIONS = itertools.count(1001)
"""Numbers for versions of packs, each used once in a process."""
Hearing = Callable[[Claim], Claim | None]


@dataclass(frozen=True)
class Altered:
    """A reader that changes claims, or leaves them out."""

    reader: Any
    hear: Hearing
    looks_back: bool = True

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the altered claims of *episodes*."""
        return self.propose_after((), episodes)

    def propose_after(self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the altered claims of *episodes*, which may answer the turns *before*."""
        return [heard for claim in proposed(self.reader, before, episodes) if (heard := self.hear(claim))]


def everything(claim: Claim) -> Claim:
    """Leave a claim unchanged."""
    return claim


def deaf(*words: str) -> Hearing:
    """Return a change that drops the claims about these objects."""
    return lambda claim: None if any(word in claim.object for word in words) else claim


def mishearing(**objects: str) -> Hearing:
    """Replace the objects of claims."""
    return lambda claim: replace(claim, object=objects.get(claim.object, claim.object))


def moody(seed: int) -> Hearing:
    """Drop the claims of every third turn."""
    return lambda claim: None if (claim.source.position + seed) % 3 == 0 else claim


def install(parts: Parts, hear: Hearing = everything, *, version: int = 1) -> None:
    """Let such a version of the shipped pack read all later episodes."""
    packs = [of_version(pack, hear, version) if pack.pack == PACK else pack for pack in parts.packs]
    vars(parts).update(packs=packs, glance=lambda **_: None)  # the folders of the packs do not have this version
    for made in ("jobs", "registry"):
        vars(parts).pop(made, None)


def declare(parts: Parts, *hear: Hearing, share: float = 1, version: int = 0) -> None:
    """Register the packs, with a canary of the shipped pack that reads in a share of the scopes; or with none."""
    (here,) = (pack for pack in parts.packs if pack.pack == PACK)
    tried = [Canary(of_version(here, one, version), share) for one in hear]
    vars(parts).update(_canaries={one.pack.pack: one for one in tried}, glance=lambda **_: None)
    for made in ("jobs", "registry"):
        vars(parts).pop(made, None)
    wiring.register(parts)


def of_version(pack: Pack, hear: Hearing, version: int) -> Pack:
    """Return another version of a pack that hears its claims otherwise."""
    reader: Any = pack.reader.reader if isinstance(pack.reader, Altered) else pack.reader
    return replace(pack, version=version, reader=Altered(reader, hear))
