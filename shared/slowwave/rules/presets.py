"""The fields of a preset: one part per axis. Each part is converted to the value that the core uses."""

from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import Field, RootModel, field_validator, model_validator

from slowwave.core.decay import Anchor, DecayPolicy, DecayRule, by_tier, per_day, time_constant
from slowwave.core.retention_periods import Retention
from slowwave.core.tiers import Fall, Level, Overflow, Rise, TierPolicy, Update
from slowwave.domain.job_table import SCHEDULED
from slowwave.rules.cadence import LONGEST, Cadence, unfit
from slowwave.rules.scoring import Count, Length, ScoringPart, Share
from slowwave.rules.yaml_file import Part
from slowwave.validation_messages import nearest

_OF_TIER = "tier"


class RisePart(Part):
    """The conditions for a move up. All given conditions must be true."""

    accesses: Count | None = None
    within: Length | None = None
    access_count: Count | None = None
    surprise: Share | None = None
    successes: Count | None = None


class FallPart(Part):
    """The conditions for a move down. All given conditions must be true."""

    idle: Length | None = None
    fewer_than: Count | None = None
    within: Length | None = None
    weaker_than: Share | None = None


class LevelPart(Part):
    """One tier.

    Without *fall*, a memory moves down if it is idle for longer than *ttl*, or weaker than the lower end of
    *importance*.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    ttl: Length | None = None
    capacity: Count | None = None
    importance: tuple[Share, Share] | None = None
    half_life: Length | None = None
    update: Update = "nightly"
    rise: list[RisePart] = Field(default_factory=list)
    fall: list[FallPart] | None = None
    overflow: Overflow = "fall"

    def value(self) -> Level:
        """Return the tier. If it has no *fall*, the default conditions are filled in."""
        falls = self.fall
        if falls is None:
            falls = [FallPart(idle=self.ttl)] if self.ttl else []
            falls += [FallPart(weaker_than=self.importance[0])] if self.importance and self.importance[0] else []
        return Level(
            **self.model_dump(exclude={"rise", "fall"}),
            rises=tuple(Rise(**rise.model_dump()) for rise in self.rise),
            falls=tuple(Fall(**fall.model_dump()) for fall in falls),
        )


class TiersPart(Part):
    """The tiers, in order from the hottest to the coldest."""

    entry: str
    levels: Annotated[list[LevelPart], Field(min_length=1)]

    def value(self) -> TierPolicy:
        """Return the policy of the tiers."""
        return TierPolicy(tuple(level.value() for level in self.levels), self.entry)

    @model_validator(mode="after")
    def _stands(self) -> "TiersPart":
        if problems := self.value().problems():
            raise ValueError("; ".join(problems))
        return self


class DecayPart(Part):
    """The decay of some memories. One of *half_life*, *keeps_per_day* and *time_constant* gives the speed.

    With `half_life: tier`, the tier of a memory gives its half-life.
    """

    half_life: Length | Literal["tier"] | None = None
    keeps_per_day: Annotated[float, Field(gt=0, lt=1)] | None = None
    time_constant: Length | None = None
    anchor: Anchor = "created"
    kind: str | None = None
    tier: str | None = None
    source: Literal["stated", "inferred", "statement"] | None = None
    gate: Annotated[timedelta, Field(ge=timedelta(0), le=LONGEST)] = timedelta(0)
    shift: Annotated[timedelta, Field(ge=timedelta(0), le=LONGEST)] = timedelta(0)
    per_access: float = 0.0
    per_importance: float = 0.0
    stretch: float = 1.0
    floor: float = 0.0
    familiarity: float = 0.0
    freshness: float = 0.0
    forget_below: float | None = None

    def values(self, tiers: TierPolicy) -> tuple[DecayRule, ...]:
        """Return the decay rule. If the tier sets the half-life, return one rule per tier of *tiers*."""
        return by_tier(self._rule(), tiers.half_lives) if self.half_life == _OF_TIER else (self._rule(),)

    def _rule(self) -> DecayRule:
        named: dict[str, Any] = self.model_dump(exclude={"half_life", "keeps_per_day", "time_constant"})
        return DecayRule(half_life_seconds=self._seconds(), **named)

    def _seconds(self) -> float:
        if self.keeps_per_day is not None:
            return per_day(self.keeps_per_day)
        if self.time_constant is not None:
            return time_constant(self.time_constant.total_seconds())
        return self.half_life.total_seconds() if isinstance(self.half_life, timedelta) else 1.0

    @model_validator(mode="after")
    def _fades(self) -> "DecayPart":
        if sum(speed is not None for speed in (self.half_life, self.keeps_per_day, self.time_constant)) != 1:
            raise ValueError("expected one of half_life, keeps_per_day and time_constant")
        if problems := self._rule().problems():
            raise ValueError("; ".join(problems))
        return self


class DecayAxis(RootModel[list[DecayPart]]):
    """The rules of decay. The first rule that matches a memory applies."""

    def value(self, tiers: TierPolicy) -> DecayPolicy:
        """Return the policy for *tiers*."""
        return DecayPolicy(tuple(rule for part in self.root for rule in part.values(tiers)))

    @property
    def by_level(self) -> bool:
        """True if the tier sets a half-life."""
        return any(part.half_life == _OF_TIER for part in self.root)


class PromotionPart(Part):
    """The thresholds of promotion. A fact must reach all of them."""

    confidence: Share = 0.85
    accesses: Annotated[int, Field(ge=0, le=2**31 - 1, strict=True)] = 5
    conversations: Count = 2


class RetentionPart(Part):
    """The retention periods; `null` means forever."""

    archive_conversations_after: Length | None = timedelta(days=90)
    entity_floor: Share = 0.1
    entity_idle: Length = timedelta(days=30)
    audit_kept: Annotated[timedelta, Field(ge=timedelta(days=7), le=LONGEST)] = timedelta(days=400)
    bookkeeping_kept: Annotated[timedelta, Field(ge=timedelta(days=7), le=LONGEST)] = timedelta(days=30)
    drop_after: dict[
        Literal["episodic", "semantic", "procedural", "working", "goal", "consensus", "entity"], Length | None
    ] = Field(default_factory=dict)
    legal_hold: bool = False

    def value(self) -> Retention:
        """Return the retention. Kinds of memories that are kept forever are left out."""
        drop_after = {str(kind): after for kind, after in self.drop_after.items() if after is not None}
        return Retention(**self.model_dump(exclude={"drop_after"}), drop_after=drop_after)


class GraphPart(Part):
    """The similarity from which two names are one entity, and whether their spellings must be similar, too."""

    concept: Share = 0.85
    entity: Share = 0.90
    by: Literal["agreement", "cosine"] = "agreement"


class ExtractionPart(Part):
    """The language model for model packs. It is used if the model is available and the settings name no model."""

    model: Annotated[str, Field(min_length=1)]


class PresetPart(Part):
    """One preset. An omitted axis has the content of the preset `default`, which uses no model."""

    says: str | None = None
    extraction: ExtractionPart | None = None
    tiers: TiersPart | None = None
    decay: DecayAxis | None = None
    triggers: dict[str, Cadence] | None = None
    scoring: ScoringPart | None = None
    promotion: PromotionPart | None = None
    retention: RetentionPart | None = None
    graph: GraphPart | None = None

    @field_validator("triggers")
    @classmethod
    def _fits(cls, triggers: dict[str, Cadence] | None) -> dict[str, Cadence] | None:
        given = triggers or {}
        unknown = [f"there is no job {job}{nearest(job, SCHEDULED)}" for job in given if job not in SCHEDULED]
        problems = unknown + [
            f"{job}.{one}" for job, cadence in given.items() if job in SCHEDULED for one in unfit(job, cadence)
        ]
        if problems:
            raise ValueError("; ".join(problems))
        return triggers
