"""Test cases of a model pack: the messages, the recorded replies, and the expected beliefs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.ports.model_calls import ModelExtractor
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


@dataclass(frozen=True, slots=True)
class Recorded:
    """An `Extractor` that uses recorded *replies*; a request without one yields no claims."""

    reader: ModelExtractor
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
