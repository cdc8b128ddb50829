"""Fields shared by several parts of policies: shares, weights, counts and durations."""

from datetime import timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from slowwave.rules.cadence import LONGEST

Share = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(ge=0, le=10)]
Count = Annotated[int, Field(ge=1, le=2**31 - 1, strict=True)]
Length = Annotated[timedelta, Field(gt=timedelta(0), le=LONGEST)]


class Part(BaseModel):
    """A part of a policy; unknown fields are rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
