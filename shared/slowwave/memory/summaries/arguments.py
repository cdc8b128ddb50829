"""Types of the arguments that verbs about summaries take."""

from typing import Annotated

from pydantic import Field

MostTokens = Annotated[int, Field(ge=1, le=2**31 - 1)]
