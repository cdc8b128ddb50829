"""The graph builder, which splits events into segments in the agent's own process, and reports shifts of meaning."""

from typing import Annotated

from pydantic import SkipValidation

from slowwave.core.segments import EventGraph, EventNode, SemanticShiftEvent, ShiftRule
from slowwave.domain.arguments import Instance, Name, checked
from slowwave.domain.episode import Episode, Item
from slowwave.formatting import brief, many
from slowwave.inference.static_embedder import StaticEmbedder
from slowwave.ports import Embedder

AnEmbedder = Instance[Embedder]


class GraphBuilder:
    """One event graph per session of an agent, in memory. Nothing is stored; use `push` to store events.

    A worker finds the same shifts later in pushed episodes; this class is for an agent that needs them at once.

        builder = GraphBuilder()  # with recall's embedder, unless another is given
        if shift := builder.add({"content": "Now the schema", "session": "s1", "kind": "message"}):
            print(shift.distance, [event.content for event in shift.closed])
    """

    @checked
    def __init__(self, embedder: AnEmbedder | None = None, *, rule: Instance[ShiftRule] | None = None) -> None:
        self._embedder = StaticEmbedder() if embedder is None else embedder
        self._rule = rule or ShiftRule()
        self._graphs: dict[tuple[str, str], tuple[EventGraph, int]] = {}

    @checked
    def add(self, event: Annotated[Item, SkipValidation], *, agent: Name = "default") -> SemanticShiftEvent | None:
        """Append *event* to the graph of its session; return a shift event if the meaning shifts at *event*, else None.

        The shifting event is the first event of the next segment. Positions count the session's events from 1. An
        `outcome` is not an event. Raises `Incorrect` with every problem of the event.
        """
        episode = Episode.read(event)
        if episode.kind == "outcome":
            return None
        graph, position = self._graphs.get((agent, episode.session)) or (EventGraph(episode.session, self._rule), 0)
        (vector,) = self._embedder.embed([episode.content])
        self._graphs[agent, episode.session] = graph, position + 1
        return graph.add(EventNode(position + 1, episode.kind, vector if vector.any() else None, episode.content))

    @checked
    def graph(self, session: Name, *, agent: Name = "default") -> EventGraph | None:
        """Return a session's graph, with the running segment and the last distance; None before the first event."""
        found = self._graphs.get((agent, session))
        return found[0] if found else None

    @checked
    def end(self, session: Name, *, agent: Name = "default") -> None:
        """Discard a session's graph. A repeat is safe."""
        self._graphs.pop((agent, session), None)

    def __repr__(self) -> str:
        return brief(self, many(len(self._graphs), "session"))
