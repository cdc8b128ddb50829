"""The part of a policy that sets the scorer and the weights of salience."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from slowwave.core.salience.scorers import BIAS, FEATURES, OWN
from slowwave.core.salience.terms import DAY_SECONDS, Salience, SalienceRule
from slowwave.domain.episode import Role
from slowwave.rules.scoring.fields import Part, Share, Weight
from slowwave.runtime.plugins import entry_point_names
from slowwave.validation_messages import nearest

SCORERS = "slowwave.scorers"
"""The entry points by which a package provides a scorer: a name, and a function without arguments that returns it."""

_Learned = Annotated[float, Field(ge=-100, le=100)]


class SalienceRulePart(Part):
    """One rule: the memories that it applies to, and their factor."""

    worth: Share
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
            raise ValueError("expected `by: embedding` with relevance and importance: `rules` weighs neither")
        if (self.by == "learned") != (self.learned is not None):
            raise ValueError("expected learned weights with `by: learned`, and with no other")
        if self.learned is not None:
            if stray := sorted(self.learned.keys() - {BIAS, *FEATURES}):
                raise ValueError(f"expected weights of {', '.join((BIAS, *FEATURES))}, got {', '.join(stray)}")
            if self.learned.get("recency", 0.0) < 0:
                raise ValueError("expected a weight of recency of 0 or more: what was used later is more salient")
        return self


def below_salience(given: Any, beside: set[str]) -> None:
    """Raise `ValueError` if fields that belong under salience are *given* *beside* it."""
    own = SaliencePart.model_fields.keys() - beside
    if isinstance(given, dict) and (stray := sorted(given.keys() & own)):
        raise ValueError(f"expected {', '.join(stray)} under salience, beside its weight")
