"""Test cases of a model pack: the messages, the recorded replies, and the expected beliefs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from pydantic import Field

from slowwave.core.fold import Version
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls.chunk import Chunk, Reading
from slowwave.rules.case import Case


class ReadCase(Case):
    """A case with the recorded *replies* to its requests, in order: each a list of claims, or the raw text."""

    replies: Annotated[list[list[dict[str, Any]] | str], Field(min_length=1)]

    @property
    def raw(self) -> list[str]:
        """The replies as a provider would return them."""
        return [
            one if isinstance(one, str) else json.dumps({"claims": one}, ensure_ascii=False, default=str)
            for one in self.replies
        ]


class Reads(Protocol):
    """The part of a `ModelExtractor` that test cases need."""

    @property
    def pack(self) -> str:
        """The pack's name."""

    @property
    def version(self) -> int:
        """The pack's version."""

    def plan(
        self,
        episodes: Sequence[StoredEpisode],
        before: Sequence[StoredEpisode],
        believed: Sequence[Version],
        names: Sequence[str],
    ) -> list[Chunk]:
        """Return the requests."""

    def read(self, chunk: Chunk, reply: str) -> Reading:
        """Return the claims of a reply."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """An `Extractor` that uses recorded *replies*; a request without one yields no claims."""

    reader: Reads
    replies: Sequence[str]

    @property
    def pack(self) -> str:
        return self.reader.pack

    @property
    def version(self) -> int:
        return self.reader.version

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of the replies, in order. Raises `Unreadable`."""
        chunks = self.reader.plan(episodes, [], [], [])
        readings = [self.reader.read(chunk, reply) for chunk, reply in zip(chunks, self.replies, strict=False)]
        claims = [claim for reading in readings for claim in reading.claims]
        return sorted(claims, key=lambda claim: (claim.source.position, claim.ordinal))

    def sound(self) -> bool:
        return True
