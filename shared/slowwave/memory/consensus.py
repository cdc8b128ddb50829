"""What the agents of a user agreed on, and who did not."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slowwave.core import topic as topics
from slowwave.domain.consensus import Position, Stance, Verdict
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.store.notes import consensus
from slowwave.store.spaces import space_number
from slowwave.wiring import Parts


@dataclass(frozen=True, slots=True)
class Consensus:
    """What was agreed on in one scope. Reading spans all agents of the user, here and in the global channel."""

    parts: Parts
    scope: Scope

    def store_consensus(self, record: Verdict | Mapping[str, Any]) -> Position:
        """Write down what agents agreed on; return it as it is held. Raises `Incorrect` with every problem."""
        return self._store("consensus", record)

    def store_dissent(self, record: Verdict | Mapping[str, Any]) -> Position:
        """Write down who did not agree, and what they say instead. Raises `Incorrect` with every problem."""
        return self._store("dissent", record)

    def find_similar(self, topic: str, limit: int = 5) -> list[Position]:
        """Return what was agreed on about topics like *topic*, the most alike first, then the latest."""
        if not topic.strip() or limit < 1:
            raise Incorrect("find_similar needs a topic, and a limit of 1 or more")
        parts, scope = self.parts, self.scope
        vector = parts.embedder.embed([topic])[0]
        with parts.database.tenant(scope.tenant) as connection:
            return consensus.similar(
                connection,
                scope,
                topic,
                space=parts.embedder.space,
                vector=vector if vector.any() else None,
                most=limit,
            )

    def get_dissent_for_topic(self, topic_hash: str) -> list[Position]:
        """Return who did not agree about the topic with this hash, the latest first."""
        with self.parts.database.tenant(self.scope.tenant) as connection:
            return consensus.dissent(connection, self.scope, topic_hash)

    @staticmethod
    def topic_hash(topic: str) -> str:
        """Return the hash of a topic: the same for topics that differ in case and white space alone."""
        return topics.topic_hash(topic)

    def _store(self, stance: Stance, record: Verdict | Mapping[str, Any]) -> Position:
        verdict = record if isinstance(record, Verdict) else Verdict(**record)
        parts, scope = self.parts, self.scope
        vector = parts.embedder.embed([verdict.topic])[0]
        with parts.database.tenant(scope.tenant) as connection:
            space = space_number(connection, parts.embedder.space, parts.embedder.dimensions)
            return consensus.store(
                connection, scope, stance, verdict, space=space, vector=vector if vector.any() else None
            )
