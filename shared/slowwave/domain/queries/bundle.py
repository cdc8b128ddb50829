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
    """A bundle of memories that are relevant to a question. In each kind, the best memory comes first.

    A kind that was not requested is empty. *turns* and *facts* answer the question. *entities* are the entities that
    the question names or means, and their neighbours. *strategies* are the strategies for the task of the question.
    *goals* are the active goals. *profile* is the profile of the user.
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
