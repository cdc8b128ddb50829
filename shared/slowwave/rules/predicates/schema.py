"""The fields of a predicate, in `predicates.yaml` and under a pack's `predicates:`."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from slowwave.core.predicates import Policy, Predicate
from slowwave.core.predicates.sentences import FIELDS, template_fields

LONGEST_TEMPLATE = 200
"""The most characters of a sentence template."""


def _template(text: str) -> str:
    named = template_fields(text)
    if strange := [name for name in named if name not in FIELDS]:
        raise ValueError(f"no such place: {{{strange[0]}}}; there are {', '.join(f'{{{name}}}' for name in FIELDS)}")
    if not any(name.endswith("object") for name in named):
        raise ValueError("expected {object} somewhere in the sentence")
    return text


def _said(value: Any) -> Any:
    """Read a predicate without fields as a declaration with the defaults."""
    return {} if value is None else value


Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
OpenName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*\*?$", max_length=60)]
Sort = Annotated[str, Field(pattern=r"^[a-z][a-z_]*$", max_length=60)]
"""The sort of an entity: a person, a place."""
Template = Annotated[str, AfterValidator(_template), Field(max_length=LONGEST_TEMPLATE)]


class PredicatePart(BaseModel):
    """A predicate as a file declares it; omitted fields have their default, or another place's value."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    aliases: list[Name] = Field(default_factory=list)
    single_valued: bool = False
    opposites: list[Name] = Field(default_factory=list)
    ends: list[Name] = Field(default_factory=list)
    kinds: list[Name] = Field(default_factory=list)
    asked: list[Name] = Field(default_factory=list)
    lasts: bool = False
    ahead: bool = False
    policy: Policy = "prefer_surer"
    says: Template | None = None
    denied: Template | None = None
    object: Sort | None = None
    subject: Sort | None = None

    def value(self, name: str) -> Predicate:
        """Return the predicate of that *name*."""
        lists = {field: tuple(getattr(self, field)) for field in LISTS}
        return Predicate(
            name, single_valued=self.single_valued, policy=self.policy, says=self.says, denied=self.denied,
            object=self.object, subject=self.subject, lasts=self.lasts, ahead=self.ahead, **lists,
        )  # fmt: skip


LISTS = ("aliases", "opposites", "ends", "kinds", "asked")
"""The fields that are combined if several places declare one predicate."""

PredicateParts = dict[OpenName, Annotated[PredicatePart, BeforeValidator(_said)]]
"""Predicates by name."""
