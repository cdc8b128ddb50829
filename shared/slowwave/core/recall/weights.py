"""The weights of recall: how much each reason counts for a memory. A preset may set others."""

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each reason; the first six add up to 1, so that a score lies in [0, 1].

    The values lie in the middle of a plateau: on dialogue, moving any of the six by 0.05 changes evidence recall by
    less than 0.015. The others add to a score, or multiply it.
    """

    similarity: float = 0.26
    """The similarity of the vectors."""
    keyword: float = 0.22
    """The question's words in the memory, rare words more."""
    association: float = 0.26
    """The match of a neighbour in the session, or of a fact's episode."""
    speaker: float = 0.09
    """The question names the speaker, or the person whom the memory is about."""
    recency: float = 0.04
    """Breaks ties only."""
    conversation: float = 0.13
    """The match of the whole conversation; 0 for questions that ask for a list."""

    cover: float = 0.5
    """The weight of a word that only a neighbour contains."""
    beside: float = 0.30
    """The best measure of the other candidate sources, such as the graph, on top of the others."""
    chain: float = 0.30
    """Added to *beside* for a memory to which everything named in a question leads, and which is not itself named."""
    current: float = 1.2
    """A currently believed fact gains up to this times its score, by its share of the question's words."""
    retold: float = 0.5
    """The share of *speaker* that a statement gets for its subject."""
    time: float = 0.25
    """The nearness of a memory to the time that the question names."""
    dated: float = 0.04
    """The memory states a time, and the question asks for one."""
    named: float = 0.0
    """The weight of speakers' names among a question's words, as *speaker* covers them."""
    worded: float = 0.6
    """The share of a fact's similarity that is computed word by word: a short text's vector is mostly its name."""
    assistant: float = 0.3
    """Subtracted from an assistant's words unless the question asks for them."""
    replies: float = 0.6
    """The share of an assistant's question that is added to its answer."""
    later: float = 0.5
    """If a question asks about the present, the newest memory gains half of this of its score; the oldest loses it."""
    fits: float = 0.1
    """The memory contains the kind of thing that is asked for: a person, a place, a number."""

    def __post_init__(self) -> None:
        others = (
            self.cover, self.beside, self.chain, self.current, self.retold, self.time, self.dated, self.named,
            self.worded, self.assistant, self.replies, self.later, self.fits,
        )  # fmt: skip
        if min(*self._parts, *others) < 0 or not math.isclose(sum(self._parts), 1):
            raise ValueError(f"weights must be 0 or more and add up to 1, got {self}")

    @property
    def lift(self) -> float:
        """The share of a neighbour's weighted match that is added to a memory's own match."""
        own = self.similarity + self.keyword
        return self.association / own if own else 0.0

    def broad(self) -> "Weights":
        """Return the weights for a question whose answers lie in many conversations: which one it is does not count."""
        rest = 1 - self.conversation
        if not rest or not self.conversation:
            return replace(self, cover=0.0)
        names = ("similarity", "keyword", "association", "speaker", "recency")
        return replace(self, conversation=0.0, cover=0.0, **{name: getattr(self, name) / rest for name in names})

    @property
    def _parts(self) -> tuple[float, ...]:
        return (self.similarity, self.keyword, self.association, self.speaker, self.recency, self.conversation)
