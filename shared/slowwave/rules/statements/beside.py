"""Statements beside typed facts: what a typed fact holds one value of is not told a second time."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.ports import Extractor
from slowwave.ports.context import LooksBack


@dataclass(frozen=True, slots=True)
class Beside:
    """An `Extractor` of *statements* that leaves out where somebody lives, works and the like: *typed* ones claim it.

    Such a fact is replaced when it changes; a statement that says the same would be left behind and go on saying it.
    """

    statements: Extractor
    typed: Sequence[LooksBack]

    @property
    def pack(self) -> str:
        return self.statements.pack

    @property
    def version(self) -> int:
        return self.statements.version

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of *episodes*, in order of position and ordinal."""
        told = self.statements.propose(episodes)
        cited = {claim.source.position for claim in told if claim.mode == "assert"}
        windows = [episode for episode in episodes if episode.position in cited]
        typed = defaultdict[int, list[Claim]](list)
        for claim in (claim for each in self.typed for claim in each.propose_after(episodes, windows)):
            typed[claim.source.position].append(claim)
        return [one for one in told if not any(_repeats(one, other) for other in typed[one.source.position])]

    def sound(self) -> bool:
        return self.statements.sound()


def _repeats(one: Claim, typed: Claim) -> bool:
    """True for a statement whose words a typed claim of one value at a time rests on."""
    if one.mode != "assert" or typed.mode == "forget" or not typed.single_valued:
        return False
    return min(one.source.end, typed.source.end) > max(one.source.start, typed.source.start)
