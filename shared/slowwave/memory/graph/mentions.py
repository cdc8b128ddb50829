"""Queries of the graph about mentions: turns that mention an entity, entities in a turn, and descriptions."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

from pydantic import Field

from slowwave.core.graph.relations import named_in
from slowwave.domain.arguments import Id, Limit, Name, Names, checked, checked_type
from slowwave.domain.fact import Fact
from slowwave.domain.graph import ConceptNode, Described
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.domain.queries.mention import Mention
from slowwave.memory.graph.queries import GraphQueries, Vector
from slowwave.memory.queries.access_tracking import counted_read
from slowwave.memory.queries.lookup import episode_named
from slowwave.store import transaction
from slowwave.store.beliefs.facts import facts
from slowwave.store.graph import queries
from slowwave.store.queries import people as stored
from slowwave.store.queries.episodes import nearest

Hours = Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)]


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class MentionQueries(GraphQueries):
    """The verbs of a graph that find the turns that mention entities, and the entities in a turn."""

    @checked
    def mentions(
        self, entity: Id, limit: Limit = 20, *, before: Id | None = None, archived: bool = False,
        session: Name | None = None,
    ) -> list[Mention]:  # fmt: skip
        """Return the *limit* latest turns that mention an entity, newest first, from all of `reach`.

        *entity* is the id or any name of an entity. A turn mentions an entity if the turn contains the entity's name,
        or if a fact about the entity cites the turn. The words "I" and "my" do not count as mentions of the user. To
        continue, pass the id or key of the last turn as *before*. Archived conversations are left out unless *archived*
        is True. The turns are counted as accessed; the audit log records the *session*. Raises `NotFound` if the
        entity, or the turn *before*, does not exist.
        """
        scopes, found = self._reach(), list[Mention]()
        cursor = None if before is None else episode_named(self._parts, scopes, before)

        def read(connection: Any) -> list[RememberedEpisode]:
            keys = self._keys(connection, entity)
            found[:] = stored.mentions(connection, scopes, keys, most=limit, before=cursor, archived=archived)
            return [one.episode for one in found]

        counted_read(self._parts, scopes, read, verb="graph.mentions", session=session)
        return found

    @checked
    def mentioned_in(self, episode: Id) -> list[ConceptNode]:
        """Return the entities named in a turn, longest name first. *episode* is the turn's id, id prefix or key.

        The result includes the speaker if the turn says "I" or "my". Raises `NotFound`.
        """
        scopes = self._reach()
        source_episode = episode_named(self._parts, scopes, episode)
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return queries.nodes(
                connection, queries.known(connection, [source_episode.scope.id], named_in(source_episode.content))
            )

    @checked
    def vector_search_turns(
        self, query_embedding: Vector, top_k: Limit = 10, channels: Names | None = None, *,
        time_window_hours: Hours | None = None, session: Name | None = None,
    ) -> list[RememberedEpisode]:  # fmt: skip
        """Return the *top_k* turns nearest to *query_embedding*, a vector of the memory's embedder, best first.

        The search covers this scope, or the given *channels*. The search covers only turns of the last
        *time_window_hours* that a worker has embedded. The turns are counted as accessed; the audit log records the
        *session*. Raises `Incorrect` if the vector and the embedder differ in dimensions.
        """
        vector, scopes = self._given(query_embedding), self._reach(channels)

        def read(connection: Any) -> list[RememberedEpisode]:
            window = None if time_window_hours is None else timedelta(hours=time_window_hours)
            since = None if window is None else transaction.now(connection) - window
            return nearest(connection, scopes, vector, space=self._space, most=top_k, since=since)

        return counted_read(self._parts, scopes, read, verb="graph.vector_search_turns", session=session)

    @checked
    def describe(self, entity: Id, *, session: Name | None = None) -> Described:
        """Return one or two sentences about an entity, with the facts behind the sentences.

        *entity* is the id or any name of the entity. Each sentence is a current fact; the fact with the most weight
        comes first. A description written by hand replaces all sentences. The facts are counted as accessed; the audit
        log records the *session*. Raises `NotFound`.
        """
        node = self.node(entity)
        scopes = [node.scope]

        def read(connection: Any) -> list[Fact]:
            by_id = {fact.id: fact for fact in facts(connection, [node.scope.id], named=node.described_by)}
            return [by_id[id_] for id_ in node.described_by if id_ in by_id]

        found = counted_read(self._parts, scopes, read, verb="graph.describe", session=session)
        return Described(node, tuple(found))
