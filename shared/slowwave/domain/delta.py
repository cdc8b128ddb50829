"""A delta: the decision about one claim. Only deltas change beliefs."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from pydantic import AwareDatetime, Field, TypeAdapter

from slowwave.domain.arguments import CheckedModel, checked, id_of
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, NotFound
from slowwave.formatting import brief, probability_text
from slowwave.former_names import warn_of_former

Kind = Literal["add", "update", "delete", "noop"]


class _Provenance(CheckedModel):
    """The fields of every delta. Only the reason and the valid times are optional."""

    called = "the delta"
    hint = "see MemoryDelta for its fields"

    source_episode_ids: list[str] = Field(min_length=1)
    promotion_ts: AwareDatetime
    rule_id: str = Field(min_length=1)
    confidence: float = Field(ge=0, le=1, allow_inf_nan=False)
    reason: str = ""
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None

    def __repr__(self) -> str:
        payload = getattr(self, "fact_payload", {})
        words = " ".join(str(payload[name]) for name in ("subject", "predicate", "object") if name in payload)
        return brief(self, words, f"by {self.rule_id}", probability_text(self.confidence))

    __str__ = __repr__


class AddDelta(_Provenance):
    """A delta that adds a belief."""

    kind: Literal["add"] = "add"
    fact_payload: dict[str, Any]


class UpdateDelta(_Provenance):
    """A delta that adds a belief, and closes the beliefs that the added belief replaces."""

    kind: Literal["update"] = "update"
    replaces: list[str] = Field(min_length=1)
    fact_payload: dict[str, Any]


class DeleteDelta(_Provenance):
    """A delta that closes beliefs."""

    kind: Literal["delete"] = "delete"
    replaces: list[str] = Field(min_length=1)


class NoopDelta(_Provenance):
    """A delta that changes nothing. It gives the reason."""

    kind: Literal["noop"] = "noop"


MemoryDelta = Annotated[AddDelta | UpdateDelta | DeleteDelta | NoopDelta, Field(discriminator="kind")]
_ADAPTER: TypeAdapter[MemoryDelta] = TypeAdapter(MemoryDelta)


@checked
def parse_delta(value: Any) -> MemoryDelta:
    """Return *value* as a delta; it may be a delta already, or a JSON object. Raises `Incorrect` with every problem."""
    return read_delta(value)


def read_delta(value: Any) -> MemoryDelta:
    """Return *value* as a delta, like `parse_delta`, but without a check of the argument's type."""
    is_object = isinstance(value, Mapping) and all(isinstance(name, str) for name in value)
    if isinstance(value, _Provenance) or (is_object and value.get("kind") in get_args(Kind)):
        return _ADAPTER.validate_python(value)
    problem = (
        f"kind: expected one of {', '.join(get_args(Kind))}" if is_object else "is not an object with named fields"
    )
    raise Incorrect.listing(_Provenance.called, [problem], hint=_Provenance.hint)


def delta_id(delta: uuid.UUID | str | None) -> uuid.UUID | None:
    """Return the id of a delta; None stays None. Raises `NotFound` for an invalid id."""
    found = None if delta is None else id_of(delta)
    if found is None and delta is not None:
        raise NotFound(f"there is no delta {delta}", hint="use the id of a listed delta")
    return found


@dataclass(frozen=True, slots=True)
class AppliedDelta:
    """A delta in the ledger. *promotion_ts* is the time when the delta was applied.

    *fact* is the fact that the delta made, ended or confirmed. *run* is None for a delta that was applied by hand.
    *claim* is the subject, predicate and object of the decided claim, and *text* is the claim in words. After an
    erasure, *claim* is None, and *text* and the payload are empty.
    """

    id: uuid.UUID
    scope: Scope
    run: int | None
    pack: str
    fact: uuid.UUID | None
    claim: tuple[str, str, str] | None
    text: str
    delta: MemoryDelta

    @property
    def said(self) -> tuple[str, str, str] | None:
        """The former name of `claim`."""
        warn_of_former("said", "claim")
        return self.claim

    def __repr__(self) -> str:
        return brief(self, self.delta.kind, self.text, f"by {self.delta.rule_id}", id=self.id)
