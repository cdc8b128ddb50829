"""The scoring axis of a policy: weights of reasons, ranking strategy, and the scorer of salience."""

from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from slowwave.core.recall.scoring import REACH, Calibration, Contiguity, Fusion, Routing, Scoring, Strategy, Weights
from slowwave.core.salience.terms import BIAS, DAY_SECONDS, FEATURES, OWN, Salience, SalienceRule
from slowwave.domain.episode import Role
from slowwave.rules.cadence import LONGEST
from slowwave.rules.yaml_file import Part
from slowwave.runtime.extras import entry_point_names
from slowwave.validation_messages import nearest

Share = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(ge=0, le=10)]
Count = Annotated[int, Field(ge=1, le=2**31 - 1, strict=True)]
Length = Annotated[timedelta, Field(gt=timedelta(0), le=LONGEST)]
SCORERS = "slowwave.scorers"
"""The entry points by which a package provides a scorer: each has a name and is a function without arguments that
returns the scorer.
"""
_Learned = Annotated[float, Field(ge=-100, le=100)]


class SalienceRulePart(Part):
    """One rule: a factor, and the memories to which the factor applies."""

    factor: Share
    kind: Literal["episodic", "semantic", "entity", "procedural"] | None = None
    source: Literal["stated", "inferred", "statement"] | None = None
    tier: str | None = None
    role: Role | None = None
    form: Literal["typed", "statement"] | None = None


class SaliencePart(Part):
    """The weight of salience in scores, and its scorer."""

    weight: Share
    by: str = "rules"
    recency: Weight = 1.0
    relevance: Weight = 0.0
    importance: Weight = 0.0
    tau_seconds: Annotated[float, Field(gt=0)] = DAY_SECONDS
    per_frequency: Weight = 0.5
    frequency_scale: Annotated[float, Field(gt=0)] = 10.0
    rules: list[SalienceRulePart] = Field(default_factory=list)
    learned: dict[str, _Learned] | None = None

    def value(self) -> Salience:
        """Return the salience."""
        rules = tuple(SalienceRule(**rule.model_dump()) for rule in self.rules)
        return Salience(**{**self.model_dump(), "rules": rules})

    @model_validator(mode="after")
    def _judged(self) -> "SaliencePart":
        known = sorted({*OWN, *entry_point_names(SCORERS)}) if self.by not in OWN else list(OWN)
        if self.by not in known:
            raise ValueError(f"by: there is no scorer {self.by!r}{nearest(self.by, known)}")
        if self.by == "rules" and (self.relevance or self.importance):
            raise ValueError("expected `by: embedding` for relevance and importance, which `rules` ignores")
        if (self.by == "learned") != (self.learned is not None):
            raise ValueError("expected learned weights with `by: learned`, and only then")
        if self.learned is not None:
            if stray := sorted(self.learned.keys() - {BIAS, *FEATURES}):
                raise ValueError(f"expected weights of {', '.join((BIAS, *FEATURES))}, got {', '.join(stray)}")
            if self.learned.get("recency", 0.0) < 0:
                raise ValueError("expected a weight of recency of 0 or more, as recent use makes a memory salient")
        return self


def below_salience(given: Any, beside: set[str]) -> None:
    """Raise `ValueError` if *given* has fields that belong under salience. The fields in *beside* are allowed."""
    own = SaliencePart.model_fields.keys() - beside
    if isinstance(given, dict) and (stray := sorted(given.keys() & own)):
        raise ValueError(f"expected {', '.join(stray)} under salience, beside its weight")


class ContiguityPart(Part):
    """The rule that raises neighbours of a match: by position in a session (*reach*) or by time (*within*, *boost*)."""

    reach: Annotated[int, Field(ge=0, le=100, strict=True)] | None = None
    within: Length | None = None
    boost: Share | None = None

    def value(self) -> Contiguity:
        """Return the contiguity. If no field is given, the contiguity is by position."""
        reach = REACH if self.reach is None and self.within is None else self.reach
        return Contiguity(reach, self.within, self.boost)

    @model_validator(mode="after")
    def _one_way(self) -> "ContiguityPart":
        if (self.within is None) != (self.boost is None):
            raise ValueError("within and boost belong together")
        if self.within is not None and self.reach is not None:
            raise ValueError("expected reach, or within and boost, not both")
        return self


class WeightsPart(Part):
    """The weight of each reason for a memory; the first six weights add up to 1."""

    similarity: Share
    keyword: Share
    association: Share
    speaker: Share
    recency: Share
    conversation: Share
    cover: Share = 0.0
    beside: Share = 0.0
    chain: Share = 0.0
    current: Weight = 1.0
    retold: Share = 0.0
    time: Share = 0.0
    dated: Share = 0.0
    named: Share = 1.0
    worded: Share = 0.0
    assistant: Share = 0.0
    replies: Share = 0.0
    later: Share = 0.0
    fits: Share = 0.0

    @model_validator(mode="after")
    def _whole(self) -> "WeightsPart":
        parts = (self.similarity, self.keyword, self.association, self.speaker, self.recency, self.conversation)
        if abs(sum(parts) - 1) > 1e-9:
            raise ValueError(f"expected similarity to conversation to add up to 1, got {sum(parts):g}")
        return self


class CalibrationPart(Part):
    """The curve that maps a match score to the probability that the memory answers the question.

    See `core/recall/scoring.py`.
    """

    half: Share
    slope: Annotated[float, Field(gt=0, le=1000)]
    most: Annotated[float, Field(gt=0, le=1)]
    background: Share


class ScoringPart(Part):
    """The ranking of memories in recall.

    The state of memories (tier, accesses) counts only if *salience*, *kinds* or *tiers* is given.
    """

    weights: WeightsPart | None = None
    contiguity: ContiguityPart = ContiguityPart()
    routing: Routing = "bare"
    salience: SaliencePart | None = None
    kinds: dict[Literal["episodic", "semantic", "entity", "procedural"], Share] = Field(default_factory=dict)
    tiers: dict[str, Share] = Field(default_factory=dict)
    strategy: Strategy = "comprehensive"
    strength: Share | None = None
    schematic_first: bool | None = None
    fusion: Fusion = "weights"
    tenses: dict[Literal["current", "past"], Weight] = Field(default_factory=dict)
    calibration: CalibrationPart | None = None

    def value(self) -> Scoring:
        """Return the scoring."""
        named = {name: getattr(self, name) or None for name in ("kinds", "tiers", "tenses")}
        parts = {
            "contiguity": self.contiguity.value(),
            "salience": self.salience and self.salience.value(),
            "weights": Weights(**(self.weights.model_dump() if self.weights else {})),
            "calibration": Calibration(**(self.calibration.model_dump() if self.calibration else {})),
        }
        return Scoring(**{**self.model_dump(), **named, **parts})

    @model_validator(mode="after")
    def _ranks(self) -> "ScoringPart":
        if (self.strategy == "comprehensive") == bool(self.tiers):
            raise ValueError("expected tiers with the strategies weighted and fast_first, and only then")
        return self

    @model_validator(mode="before")
    @classmethod
    def _below_salience(cls, given: Any) -> Any:
        below_salience(given, {*cls.model_fields})
        return given
