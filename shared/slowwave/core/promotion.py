"""When a fact of a project channel is worth knowing everywhere."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a fact needs, all of it, to be promoted to the agent's `_global` (S2.58).

    *confidence* is P(true) now, *accesses* how often it was returned to somebody, *conversations* in how many sessions
    it was said.
    """

    confidence: float = 0.85
    accesses: int = 5
    conversations: int = 2

    def unmet(self, *, confidence: float, accesses: int, conversations: int) -> list[str]:
        """Return what is missing, in words; nothing means that the fact may be promoted.

        >>> Thresholds().unmet(confidence=0.9, accesses=4, conversations=2)
        ['accesses: 4 of 5']
        """
        found = []
        if confidence < self.confidence:
            found.append(f"confidence: {confidence:g} of {self.confidence:g}")
        if accesses < self.accesses:
            found.append(f"accesses: {accesses} of {self.accesses}")
        if conversations < self.conversations:
            found.append(f"conversations: {conversations} of {self.conversations}")
        return found
