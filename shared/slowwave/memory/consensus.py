"""`scope.consensus`: the topics on which a user's agents agreed, and the agents that dissented."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import SkipValidation

from slowwave.domain.arguments import Description, Limit, Name, checked
from slowwave.domain.consensus import Position, Stance, Verdict
from slowwave.memory.queries.access_tracking import audited_lookup
from slowwave.memory.verb_group import VerbGroup
from slowwave.store.goals import consensus
from slowwave.store.transaction import space_number


class Consensus(VerbGroup):
    """The consensus and dissent of one scope. Reads cover all agents of the user, in this channel and in `_global`."""

    __slots__ = ()

    @checked
    def store_consensus(self, record: Annotated[Verdict | Mapping[str, Any], SkipValidation]) -> Position:
        """Store a consensus of agents; return the stored consensus. Raises `Incorrect` with every problem."""
        return self._store("consensus", record)

    @checked
    def store_dissent(self, record: Annotated[Verdict | Mapping[str, Any], SkipValidation]) -> Position:
        """Store the dissent of agents, with their own position; return the stored dissent.

        Raises `Incorrect` with every problem.
        """
        return self._store("dissent", record)

    @checked
    def find_similar(self, topic: Description, limit: Limit = 5, *, session: Name | None = None) -> list[Position]:
        """Return the consensus on topics similar to *topic*, sorted by similarity, then the latest first.

        *session* is the caller's session, for the audit log.
        """
        parts, scope = self._parts, self.scope
        embedder = parts.embedder_for(scope)
        vector = embedder.embed([topic])[0]

        def read(connection: Any) -> list[Position]:
            return consensus.similar(
                connection, scope, topic, space=embedder.space, vector=vector if vector.any() else None, most=limit
            )

        return self._read(read, "consensus.find_similar", session)

    @checked
    def get_dissent_for_topic(self, topic_hash: Name, *, session: Name | None = None) -> list[Position]:
        """Return the dissent about the topic with the hash *topic_hash*, latest first."""
        return self._read(
            lambda connection: consensus.dissent(connection, self.scope, topic_hash),
            "consensus.get_dissent_for_topic",
            session,
        )

    @staticmethod
    @checked
    def topic_hash(topic: Description) -> str:
        """Return the hash of a topic, which ignores case and white space."""
        return consensus.topic_hash(topic)

    def _read(self, read: Callable[[Any], list[Position]], verb: str, session: str | None) -> list[Position]:
        scope = self.scope
        return audited_lookup(
            self._parts, scope.tenant, read, kind=consensus.KIND, scope=scope, verb=verb, session=session
        )

    def _store(self, stance: Stance, record: Verdict | Mapping[str, Any]) -> Position:
        parts, scope = self._parts, self.scope
        given = Verdict.read(record)
        texts = {name: getattr(given, name) for name in ("topic", "statement", "reason", "metadata")}
        verdict = given.model_copy(update=parts.masking.value(texts))
        embedder = parts.embedder_for(scope)
        vector = embedder.embed([verdict.topic])[0]
        with parts.quotas.writing(scope) as connection:
            space = space_number(connection, embedder.space, embedder.dimensions)
            return consensus.store(
                connection, scope, stance, verdict, space=space, vector=vector if vector.any() else None
            )
