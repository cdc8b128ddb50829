"""Embed what is new, so that it can be found by meaning. Until then it is found by its words."""

from dataclasses import dataclass

from slowwave.domain.keeping import Heard
from slowwave.domain.run import DETECT_PATTERNS, SUMMARISE, Run, pack_of
from slowwave.ports import Ask, Embedder, Plan, RunStore


@dataclass(frozen=True, slots=True)
class Prepare:
    """A `Job` that gives every episode of the window its vector; one that says nothing to the model gets none.

    It sees every episode first, so it is who says that there is something to find patterns in and to summarise.
    """

    embedder: Embedder

    def think(self, run: Run, store: RunStore) -> Plan:
        """Return the vectors of the window's episodes, which belong to their conversations from then on."""
        episodes = store.episodes(run)
        vectors = self.embedder.embed([episode.content for episode in episodes])
        return Plan(
            episode_vectors={e.position: v for e, v in zip(episodes, vectors, strict=True) if v.any()},
            episodes=len(episodes),
            effects=[Heard(), *(Ask(job, pack_of(job)) for job in (DETECT_PATTERNS, SUMMARISE))],
        )

    def witness(self, run: Run) -> bool:
        """Return whether the embedder answers at all."""
        return bool(self.embedder.embed(["hello"]).any())
