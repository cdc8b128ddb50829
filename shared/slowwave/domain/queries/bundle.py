"""A bundle: all memories that are relevant to one question, by kind."""

from collections.abc import Sequence
from dataclasses import dataclass

from slowwave.domain.goal import Goal
from slowwave.domain.graph import ConceptNode
from slowwave.domain.pattern import Strategy
from slowwave.domain.queries.profile import Profile
from slowwave.domain.recollection import Recollection
from slowwave.formatting import brief, many


@dataclass(frozen=True, slots=True)
class MemoryBundle:
    """A bundle of memories relevant to a question, each kind best first; kinds that were not requested are empty.

    *turns* and *facts* answer the question; *entities* are those that the question names or means, and their
    neighbours; *strategies* are those for such a task; *goals* are the active goals; *profile* is the user's.
    """

    turns: Sequence[Recollection]
    facts: Sequence[Recollection]
    entities: Sequence[ConceptNode]
    strategies: Sequence[Strategy]
    goals: Sequence[Goal]
    profile: Profile

    def __repr__(self) -> str:
        kinds = (("turn", self.turns), ("fact", self.facts), ("goal", self.goals))
        return brief(self, *(many(len(found), name) for name, found in kinds))
