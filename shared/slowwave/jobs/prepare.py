"""Preparation (embedding) of new episodes.

Recall embeds the newest unprepared episodes itself at each question.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from slowwave.core.segments import EventGraph, EventNode
from slowwave.core.tool_attempts import Planned, goal_events
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.job_table import DETECT_PATTERNS, SUMMARISE, pack_of
from slowwave.domain.run import Run
from slowwave.domain.segment import RecordConversations, RunningSegment, Segment
from slowwave.jobs.read_ahead import episodes_to_prepare
from slowwave.ports import Embedder, IntentRequest, Plan, Vectors
from slowwave.ports.context import Ahead, Proposes
from slowwave.store.goals.goals import Pursued
from slowwave.store.patterns.segments import PostgresSegments
from slowwave.store.runs.runs import PostgresRuns


@dataclass(frozen=True, slots=True)
class Prepare:
    """A `Job` that embeds every episode of the window, except episodes in which the embedder knows no word.

    This job is the first one that reads an episode. The job therefore also requests pattern detection and summaries,
    finds the ends of segments, and finds the goals that were planned or have ended. Meanwhile *ahead* begins to read
    the next windows with *readers*, which maps each pack's name to its reader.
    """

    embedder: Embedder
    segments: PostgresSegments
    ahead: Ahead | None = None
    readers: Mapping[str, Proposes] = field(default_factory=dict)

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Return the vectors of the window's episodes, and the segments that end in the window."""
        episodes = episodes_to_prepare(self.ahead, self.readers, run, store)
        vectors = self.embedder.embed([episode.content for episode in episodes])
        graphs = self.segments.graphs(run, {episode.session for episode in episodes})

        by_position = {e.position: vector for e, vector in zip(episodes, vectors, strict=True) if vector.any()}
        ended = list(_ended(graphs, episodes, by_position))

        asked = [IntentRequest(job, pack_of(job)) for job in (DETECT_PATTERNS, SUMMARISE)]
        return Plan(
            episode_vectors=by_position,
            episodes=len(episodes),
            effects=[RecordConversations(), *ended, *_running(graphs.values()), *self._pursued(episodes), *asked],
            counts={"shifts": len(ended)} if graphs else {},
        )

    def witness(self, run: Run) -> bool:
        """Return whether the embedder answers."""
        return bool(self.embedder.embed(["hello"]).any())

    def _pursued(self, episodes: Iterable[StoredEpisode]) -> Iterator[Pursued]:
        events = list(goal_events(episodes))
        if events:
            words = sorted({word for one in events if isinstance(one, Planned) for word in one.words})
            vectors = dict(zip(words, self.embedder.embed(words), strict=True)) if words else {}
            meant = {word: vector for word, vector in vectors.items() if vector.any()}
            yield Pursued(events, meant, (self.embedder.space, self.embedder.dimensions))


def _ended(
    graphs: Mapping[str, EventGraph], episodes: Iterable[StoredEpisode], vectors: Mapping[int, Vectors]
) -> Iterator[Segment]:
    """Add the episodes to the graphs of their sessions, in order; yield the segments that have ended."""
    for episode in episodes:
        if episode.session not in graphs or episode.kind == "outcome":  # an outcome is not an event
            continue
        node = EventNode(episode.position, episode.kind, vectors.get(episode.position))
        shift = graphs[episode.session].add(node)
        if shift is not None:
            yield Segment(
                shift.session, shift.number, shift.first, shift.last, shift.distance, events=len(shift.closed)
            )


def _running(graphs: Iterable[EventGraph]) -> Iterator[RunningSegment]:
    for graph in graphs:
        if graph.first is not None:
            recent, before = (tuple(node.position for node in nodes) for nodes in (graph.recent, graph.consolidated))
            yield RunningSegment(graph.session, graph.number, graph.first, recent, before)
