"""Statements beside typed facts: what a typed fact says is not told a second time."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.ports import Extractor
from slowwave.ports.context import LooksBack


class Statements(Extractor, LooksBack, Protocol):
    """An extractor of statements, which looks back."""


@dataclass(frozen=True, slots=True)
class Beside:
    """An `Extractor` of *statements* that leaves out what *typed* ones claim.

    A typed fact is replaced or ended when things change; a statement that says the same would be left behind and go on
    saying it. Where the fact holds one value at a time (where somebody lives, works and the like), a statement that
    says more, too, is left out.
    """

    statements: Statements
    typed: Sequence[LooksBack]

    @property
    def pack(self) -> str:
        return self.statements.pack

    @property
    def version(self) -> int:
        return self.statements.version

    @property
    def looks_back(self) -> bool:
        return self.statements.looks_back

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of *episodes*, in order of position and ordinal."""
        return self.propose_after((), episodes)

    def propose_after(self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of *episodes*, likewise, which may point at the turns *before* and answer them."""
        told = self.statements.propose_after(before, episodes)
        cited = {claim.source.position for claim in told if claim.mode == "assert"}
        windows = [episode for episode in episodes if episode.position in cited]
        typed = defaultdict[int, list[Claim]](list)
        for claim in (claim for each in self.typed for claim in each.propose_after([*before, *episodes], windows)):
            typed[claim.source.position].append(claim)
        contents = {episode.position: episode.content for episode in windows}
        return [
            one
            for one in told
            if one.mode != "assert" or not _repeats(one, typed[one.source.position], contents[one.source.position])
        ]

    def sound(self) -> bool:
        return self.statements.sound()


def _repeats(one: Claim, typed: Sequence[Claim], content: str) -> bool:
    """True for a statement whose words a typed claim of one value rests on, or every one of them some typed claim."""
    spans = [(claim.source.start, claim.source.end, claim.single_valued) for claim in typed if claim.mode != "forget"]
    own = [each for each in (one.source, *one.more_sources) if each.episode == one.source.episode]
    if any(single and start < each.end and each.start < stop for start, stop, single in spans for each in own):
        return True
    words = (place for each in own for place in range(each.start, each.end) if content[place].isalnum())
    return all(any(start <= place < stop for start, stop, _ in spans) for place in words)
