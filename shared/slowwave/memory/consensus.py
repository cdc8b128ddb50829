"""`scope.consensus`: what the agents of a user agreed on, and who did not."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import SkipValidation

from slowwave.core import topic as topics
from slowwave.domain.arguments import Description, Limit, Name, checked
from slowwave.domain.consensus import Position, Stance, Verdict
from slowwave.memory.face import Face
from slowwave.memory.reading.handing import looked_up
from slowwave.store.notes import consensus
from slowwave.store.spaces import space_number


class Consensus(Face):
    """The consensus and dissent of one scope. Reading spans all agents of the user, here and in the global channel."""

    __slots__ = ()

    @checked
    def store_consensus(self, record: Annotated[Verdict | Mapping[str, Any], SkipValidation]) -> Position:
        """Store what agents agreed on; return it as it is held. Raises `Incorrect` with every problem."""
        return self._store("consensus", record)

    @checked
    def store_dissent(self, record: Annotated[Verdict | Mapping[str, Any], SkipValidation]) -> Position:
        """Store who did not agree, and what they say instead. Raises `Incorrect` with every problem."""
        return self._store("dissent", record)

    @checked
    def find_similar(self, topic: Description, limit: Limit = 5, *, session: Name | None = None) -> list[Position]:
        """Return what was agreed on about topics like *topic*, the most alike first, then the latest.

        *session* is the one in which you ask: it stands in the audit.
        """
        parts, scope = self._parts, self.scope
        embedder = parts.embedder_for(scope)
        vector = embedder.embed([topic])[0]

        def read(connection: Any) -> list[Position]:
            return consensus.similar(
                connection,
                scope,
                topic,
                space=embedder.space,
                vector=vector if vector.any() else None,
                most=limit,
            )

        return self._read(read, "consensus.find_similar", session)

    @checked
    def get_dissent_for_topic(self, topic_hash: Name, *, session: Name | None = None) -> list[Position]:
        """Return who did not agree about the topic with this hash, the latest first."""
        return self._read(
            lambda connection: consensus.dissent(connection, self.scope, topic_hash),
            "consensus.get_dissent_for_topic",
            session,
        )

    @staticmethod
    @checked
    def topic_hash(topic: Description) -> str:
        """Return the hash of a topic: the same for topics that differ in case and white space alone."""
        return topics.topic_hash(topic)

    def _read(self, read: Callable[[Any], list[Position]], verb: str, session: str | None) -> list[Position]:
        scope = self.scope
        return looked_up(self._parts, scope.tenant, read, kind=consensus.KIND, scope=scope, verb=verb, session=session)

    def _store(self, stance: Stance, record: Verdict | Mapping[str, Any]) -> Position:
        parts, scope = self._parts, self.scope
        told = Verdict.read(record)
        said = {name: getattr(told, name) for name in ("topic", "statement", "reason", "metadata")}
        verdict = told.model_copy(update=parts.masking.value(said))
        embedder = parts.embedder_for(scope)
        vector = embedder.embed([verdict.topic])[0]
        with parts.database.tenant(scope.tenant) as connection:
            space = space_number(connection, embedder.space, embedder.dimensions)
            return consensus.store(
                connection, scope, stance, verdict, space=space, vector=vector if vector.any() else None
            )
