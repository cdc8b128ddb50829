"""The scoring axis of a policy: the weight of each reason, and the strategy for ranking memories."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from slowwave.core.recall.calibration import Calibration
from slowwave.core.recall.scoring import REACH, Contiguity, Fusion, Routing, Scoring, Strategy
from slowwave.core.recall.weights import Weights
from slowwave.rules.scoring.fields import Length, Part, Share, Weight
from slowwave.rules.scoring.salience import SaliencePart, below_salience


class ContiguityPart(Part):
    """The rule for neighbours: a distance in positions of a session, or a time with a flat boost."""

    reach: Annotated[int, Field(ge=0, le=100, strict=True)] | None = None
    within: Length | None = None
    boost: Share | None = None

    def value(self) -> Contiguity:
        """Return the contiguity; by position if nothing is given."""
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
    """The weight of each reason for a memory; the first six add up to 1."""

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

    def value(self) -> Weights:
        """Return the weights."""
        return Weights(**self.model_dump())

    @model_validator(mode="after")
    def _whole(self) -> "WeightsPart":
        parts = (self.similarity, self.keyword, self.association, self.speaker, self.recency, self.conversation)
        if abs(sum(parts) - 1) > 1e-9:
            raise ValueError(f"expected similarity to conversation to add up to 1, got {sum(parts):g}")
        return self


class CalibrationPart(Part):
    """The curve from a match to the chance that it answers; see `core/recall/calibration.py`."""

    half: Share
    slope: Annotated[float, Field(gt=0, le=1000)]
    most: Annotated[float, Field(gt=0, le=1)]
    background: Share

    def value(self) -> Calibration:
        """Return the calibration."""
        return Calibration(**self.model_dump())


class ScoringPart(Part):
    """The ranking of memories in recall. Without *salience*, *kinds* and *tiers*, their standing does not count."""

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
        return Scoring(
            contiguity=self.contiguity.value(),
            salience=None if self.salience is None else self.salience.value(),
            weights=Weights() if self.weights is None else self.weights.value(),
            routing=self.routing,
            kinds={str(kind): weight for kind, weight in self.kinds.items()} or None,
            tiers=self.tiers or None,
            strategy=self.strategy,
            strength=self.strength,
            schematic_first=self.schematic_first,
            fusion=self.fusion,
            tenses={str(tense): weight for tense, weight in self.tenses.items()} or None,
            calibration=Calibration() if self.calibration is None else self.calibration.value(),
        )

    @model_validator(mode="after")
    def _ranks(self) -> "ScoringPart":
        if (self.strategy == "comprehensive") == bool(self.tiers):
            raise ValueError("expected tiers with the strategies weighted and fast_first, and with no other")
        return self

    @model_validator(mode="before")
    @classmethod
    def _below_salience(cls, given: Any) -> Any:
        below_salience(given, {*cls.model_fields})
        return given
