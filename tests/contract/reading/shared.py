"""The cases that every reader of statements is held to."""

from pydantic import BaseModel, ConfigDict

from slowwave.rules import Case


class Shared(BaseModel):
    """A list of cases, as the file beside has them."""

    model_config = ConfigDict(extra="forbid")

    cases: list[Case]
