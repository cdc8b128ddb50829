"""The decision about one claim: the only way a belief changes."""

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter


class _Provenance(BaseModel):
    """What every delta must say, and what ours may add: the reason and the valid times."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_episode_ids: list[str] = Field(min_length=1)
    promotion_ts: AwareDatetime
    rule_id: str = Field(min_length=1)
    confidence: float = Field(ge=0, le=1, allow_inf_nan=False)
    reason: str = ""
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None


class AddDelta(_Provenance):
    """Hold a new belief."""

    kind: Literal["add"] = "add"
    fact_payload: dict[str, Any]


class UpdateDelta(_Provenance):
    """Hold a new belief in the place of others."""

    kind: Literal["update"] = "update"
    replaces: list[str] = Field(min_length=1)
    fact_payload: dict[str, Any]


class DeleteDelta(_Provenance):
    """Hold beliefs no longer."""

    kind: Literal["delete"] = "delete"
    replaces: list[str] = Field(min_length=1)


class NoopDelta(_Provenance):
    """Change nothing, and say why."""

    kind: Literal["noop"] = "noop"


MemoryDelta = Annotated[AddDelta | UpdateDelta | DeleteDelta | NoopDelta, Field(discriminator="kind")]
_ADAPTER: TypeAdapter[MemoryDelta] = TypeAdapter(MemoryDelta)


def parse_delta(value: Any) -> MemoryDelta:
    """Return the delta a JSON object describes; raises pydantic's ValidationError for anything else."""
    return _ADAPTER.validate_python(value)
