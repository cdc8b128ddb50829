"""When a pack is due, checked before anything is scheduled by it."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, available_timezones

from croniter import CroniterBadDateError, CroniterError, croniter
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

CRON_CHARACTERS = 128
MAX_AGE = timedelta(hours=24)
_ANY_DAY = datetime(2024, 1, 1, tzinfo=UTC)


def _cron(expression: str) -> str:
    if len(expression) > CRON_CHARACTERS:
        raise ValueError(f"has {len(expression)} characters, at most {CRON_CHARACTERS} are allowed")
    fields = expression.split()
    if len(fields) != 5:
        raise ValueError(f"expected five fields (minute hour day month weekday), got {len(fields)}")
    if re.search(r"\br\b", expression, re.IGNORECASE):
        raise ValueError("random fields (R) fire at no time that can be told beforehand")
    try:
        croniter(expression, _ANY_DAY).get_next(datetime)
        croniter.expand(expression, strict=True)
    except CroniterBadDateError:
        raise ValueError("it never fires") from None
    except CroniterError as error:
        raise ValueError(f"not a cron: {error}") from None
    return expression


def _zone(name: str) -> str:
    if name not in available_timezones():
        raise ValueError(f"no such time zone: {name!r}")
    return name


class Cadence(BaseModel):
    """When a pack is due: after so many episodes, by cron, at an interval. Several may be given; any one suffices.

    *max_age* is how long an episode below the count waits at most. *missed* says what becomes of cron runs that no
    scheduler was there for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    every: Annotated[int, Field(ge=1, le=1_000_000, strict=True)] | None = None
    max_age: Annotated[timedelta, Field(gt=timedelta(0))] | None = None
    cron: Annotated[str, AfterValidator(_cron)] | None = None
    tz: Annotated[str, AfterValidator(_zone)] = "UTC"
    missed: Literal["catch_up", "skip"] = "catch_up"
    interval: Annotated[timedelta, Field(ge=timedelta(seconds=1))] | None = None

    @model_validator(mode="before")
    @classmethod
    def _no_item_starves(cls, given: object) -> object:
        if isinstance(given, dict) and given.get("every") is not None and given.get("max_age") is None:
            return {**given, "max_age": MAX_AGE}
        return given

    @model_validator(mode="after")
    def _due_at_all(self) -> "Cadence":
        if self.every is None and self.cron is None and self.interval is None:
            raise ValueError("expected at least one of every, cron and interval")
        return self

    def next_runs(self, now: datetime, count: int = 2) -> tuple[datetime, ...]:
        """Return the next *count* cron runs after *now*, in UTC; none without a cron."""
        if self.cron is None:
            return ()
        runs = croniter(self.cron, now.astimezone(ZoneInfo(self.tz)))
        return tuple(runs.get_next(datetime).astimezone(UTC) for _ in range(count))
