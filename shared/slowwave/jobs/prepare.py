"""Embed what is new, so that it can be found by meaning; until then recall embeds the newest of it at each question."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from slowwave.core.segments import EventGraph, EventNode
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.job_table import DETECT_PATTERNS, SUMMARISE, pack_of
from slowwave.domain.run import Run
from slowwave.domain.segment import Heard, RunningSegment, Segment
from slowwave.ports import Ask, Embedder, Plan, RunStore, Vectors


class SegmentStore(Protocol):
    """The running segments of sessions. Raises `Unavailable` when the database is away."""

    def graphs(self, run: Run, sessions: Collection[str]) -> Mapping[str, EventGraph]:
        """Return the event graphs of *sessions* as they were before the run's window; none if no pack follows them."""


@dataclass(frozen=True, slots=True)
class Prepare:
    """A `Job` that gives every episode of the window its vector; one that says nothing to the model gets none.

    It sees every episode first, so it is who says that there is something to find patterns in and to summarise, and
    where one segment ends and the next begins.
    """

    embedder: Embedder
    segments: SegmentStore

    def think(self, run: Run, store: RunStore) -> Plan:
        """Return the vectors of the window's episodes, and where their segments end."""
        episodes = store.episodes(run)
        vectors = self.embedder.embed([episode.content for episode in episodes])
        graphs = self.segments.graphs(run, {episode.session for episode in episodes})

        told = {e.position: vector for e, vector in zip(episodes, vectors, strict=True) if vector.any()}
        ended = list(_ended(graphs, episodes, told))

        asked = [Ask(job, pack_of(job)) for job in (DETECT_PATTERNS, SUMMARISE)]
        return Plan(
            episode_vectors=told,
            episodes=len(episodes),
            effects=[Heard(), *ended, *_running(graphs.values()), *asked],
            counts={"shifts": len(ended)} if graphs else {},
        )

    def witness(self, run: Run) -> bool:
        """Return whether the embedder answers at all."""
        return bool(self.embedder.embed(["hello"]).any())


def _ended(
    graphs: Mapping[str, EventGraph], episodes: Iterable[StoredEpisode], vectors: Mapping[int, Vectors]
) -> Iterator[Segment]:
    """Put the episodes into their sessions' graphs, in order; give the segments that are over."""
    for episode in episodes:
        if episode.session not in graphs or episode.kind == "outcome":  # which is what became of events, and none
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
