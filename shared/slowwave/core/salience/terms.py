"""The terms of salience: the policy's settings, the memory to score, and the question."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from slowwave.domain.claim import Form
from slowwave.domain.episode import Role
from slowwave.domain.standing import Standing
from slowwave.formatting.summary_lines import brief, since

DAY_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class SalientMemory:
    """A memory to score: its *standing*, and its match with the question.

    *similarity* is its cosine to the question and *keyword* the share of the question's words that it contains, both in
    [0, 1]. *text* is set for facts only; an episode's text is read only if it is among the answers. An episode has a
    *role* and no *form*, a fact a *form* and no *role*.
    """

    standing: Standing
    similarity: float = 0.0
    keyword: float = 0.0
    text: str = ""
    form: Form | None = None
    role: Role | None = None

    def __repr__(self) -> str:
        near = f"similarity {self.similarity:.2f}, keyword {self.keyword:.2f}"
        return brief(self, self.text, near)


@dataclass(frozen=True, slots=True)
class SalienceContext:
    """The *question* for which memories are scored, its time (*at*), and the decay of recency: to 1/e in τ."""

    at: datetime
    question: str = ""
    tau_seconds: float = DAY_SECONDS

    def __repr__(self) -> str:
        return brief(self, self.question, since(self.at, "at"), f"tau {self.tau_seconds:g} s")


@dataclass(frozen=True, slots=True)
class SalienceRule:
    """A factor for memories of one *kind*, *source*, *tier*, *role* and *form*; None matches any."""

    worth: float
    kind: str | None = None
    source: str | None = None
    tier: str | None = None
    role: str | None = None
    form: str | None = None

    def covers(self, memory: SalientMemory) -> bool:
        """Return whether this rule applies to *memory*."""
        standing = memory.standing
        asked = (self.kind, self.source, self.tier, self.role, self.form)
        found = (standing.kind, standing.source, standing.tier, memory.role, memory.form)
        return all(one in (None, other) for one, other in zip(asked, found, strict=True))


@dataclass(frozen=True, slots=True)
class Salience:
    """The weight of salience in a score, and of each of its parts.

    *weight* is its share of the score, from 0 to 1, and *by* the name of the scorer. *recency*, *relevance* and
    *importance* are the weights of a sum; confirmations then raise it by up to *per_frequency*, following tanh on a
    scale of *frequency_scale* confirmations; the first of the *rules* that applies to a memory multiplies it. *learned*
    are the weights of a learned scorer, by feature.
    """

    weight: float
    by: str = "rules"
    recency: float = 1.0
    relevance: float = 0.0
    importance: float = 0.0
    tau_seconds: float = DAY_SECONDS
    per_frequency: float = 0.5
    frequency_scale: float = 10.0
    rules: tuple[SalienceRule, ...] = ()
    learned: Mapping[str, float] | None = field(default=None)
