"""The cadence of a job, validated before it is scheduled."""

import re
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice
from typing import Annotated, Literal
from zoneinfo import available_timezones

from croniter import CroniterBadDateError, CroniterError, croniter
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from slowwave.core.cadence import timetable
from slowwave.core.segments import MIN_EVENTS, REACH, THRESHOLD, Reference
from slowwave.domain.job_table import JOBS

CRON_CHARACTERS = 128
MAX_AGE = timedelta(hours=24)
LONGEST = timedelta(days=3653)
"""Ten years: the longest time in a schedule or policy, so that sums of such times stay within the calendar."""
TOKENS = 8_000
"""The default size of a working memory, in tokens, at which its oldest quarter leaves."""
ANY_TIER = "*"
_TICK = timedelta(microseconds=1)
_ANY_DAY = datetime(2024, 1, 1, tzinfo=UTC)
_KINDS = {
    "every": "count",
    "cron": "cron",
    "interval": "interval",
    "idle": "idle",
    "semantic_shift": "semantic_shift",
    "token_pressure": "token_pressure",
    "capacity": "capacity",
    "session_end": "session_end",
}
"""The fields of a cadence, and the kind of schedule that each makes."""
_MAY_NEVER_COME = ("every", "idle", "semantic_shift", "token_pressure", "session_end")


def _cron(expression: str) -> str:
    if len(expression) > CRON_CHARACTERS:
        raise ValueError(f"has {len(expression)} characters, at most {CRON_CHARACTERS} are allowed")
    fields = expression.split()
    if len(fields) != 5:
        raise ValueError(f"expected five fields (minute hour day month weekday), got {len(fields)}")
    if re.search(r"\br\b", expression, re.IGNORECASE):
        raise ValueError("random fields (R) fire at unpredictable times")
    try:
        croniter(expression, _ANY_DAY).get_next(datetime)
        croniter.expand(expression, strict=True)
    except CroniterBadDateError:
        raise ValueError("it never fires") from None
    except CroniterError as error:
        raise ValueError(f"not a cron: {error}") from None
    return expression


def _zone(name: str) -> str:
    if name not in _zones():
        raise ValueError(f"no such time zone: {name[:60]!r}")
    return name


@cache
def _zones() -> set[str]:
    return available_timezones()


class SemanticShift(BaseModel):
    """The trigger at a segment's end: an event is further than *threshold* (cosine distance, 0 to 2) from the centre.

    The centre is that of the running segment, or with *reference* `consolidated` that of the segment consolidated last.
    A segment has at least *min_events* events.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    threshold: Annotated[float, Field(ge=0, le=2)] = THRESHOLD
    min_events: Annotated[int, Field(ge=1, le=REACH, strict=True)] = MIN_EVENTS
    reference: Reference = "segment"


def _asked(given: object, plain: object) -> object:
    """Read `true` as the default trigger and `false` as none."""
    return plain if given is True else None if given is False else given


class Cadence(BaseModel):
    """The triggers of a job: every N episodes, by cron, at an interval, and so on. Any one of them suffices.

    *idle* is how long a scope must have been silent; *token_pressure* the tokens of a working memory; *capacity* a full
    tier, by name or any. *max_age* is the longest time that an episode waits for the other triggers. *missed* says what
    happens to cron runs that passed while no scheduler ran.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    every: Annotated[int, Field(ge=1, le=1_000_000, strict=True)] | None = None
    max_age: Annotated[timedelta, Field(gt=timedelta(0), le=LONGEST)] | None = None
    cron: Annotated[str, AfterValidator(_cron)] | None = None
    tz: Annotated[str, AfterValidator(_zone)] = "UTC"
    missed: Literal["catch_up", "skip"] = "catch_up"
    interval: Annotated[timedelta, Field(ge=timedelta(seconds=1), le=LONGEST)] | None = None
    idle: Annotated[timedelta, Field(ge=timedelta(seconds=1), le=LONGEST)] | None = None
    semantic_shift: SemanticShift | None = None
    token_pressure: Annotated[int, Field(ge=1, le=10_000_000, strict=True)] | None = None
    capacity: Annotated[str, Field(pattern=r"^([a-z][a-z0-9_]*|\*)$")] | None = None
    session_end: bool = False

    @field_validator("semantic_shift", mode="before")
    @classmethod
    def _usual_shift(cls, given: object) -> object:
        return _asked(given, {})

    @field_validator("token_pressure", mode="before")
    @classmethod
    def _usual_pressure(cls, given: object) -> object:
        return _asked(given, TOKENS)

    @field_validator("capacity", mode="before")
    @classmethod
    def _any_tier(cls, given: object) -> object:
        return _asked(given, ANY_TIER)

    @model_validator(mode="before")
    @classmethod
    def _no_item_starves(cls, given: object) -> object:
        if (
            isinstance(given, dict)
            and given.get("max_age") is None
            and any(given.get(kind) for kind in _MAY_NEVER_COME)
        ):
            return {**given, "max_age": MAX_AGE}
        return given

    @model_validator(mode="after")
    def _due_at_all(self) -> "Cadence":
        if not self.kinds - {"age"}:
            raise ValueError(f"expected at least one of {', '.join(_KINDS)}")
        return self

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of schedule that it contains."""
        given = {kind for field, kind in (*_KINDS.items(), ("max_age", "age")) if getattr(self, field)}
        return frozenset(given)

    def next_runs(self, now: datetime, count: int = 2) -> tuple[datetime, ...]:
        """Return the next *count* runs by clock after *now*, in UTC; none without a cron or an interval."""
        tables = []
        if self.cron is not None:
            tables.append(timetable("cron", cron=self.cron, zone=self.tz, seconds=None))
        if self.interval is not None:
            tables.append(timetable("interval", cron=None, zone=None, seconds=self.interval.total_seconds()))
        runs = (window.due for table in tables if table for window in islice(table.since(now + _TICK), count))
        return tuple(sorted(runs)[:count])


def unfit(job: str, cadence: Cadence) -> list[str]:
    """Return why *job* cannot have some of the triggers in *cadence*.

    >>> unfit("decay", Cadence(session_end=True))
    ['session_end: decay reads no episodes, and is due by cron or interval']
    """
    fields = {kind: field for field, kind in _KINDS.items()}
    wrong = sorted(fields[kind] for kind in cadence.kinds - {"age"} - JOBS[job].triggers)
    return [f"{field}: {job} {JOBS[job].why}" for field in wrong]


def _of_a_pack(cadence: Cadence) -> Cadence:
    if problems := unfit("consolidate", cadence):
        raise ValueError("; ".join(problems))
    return cadence


PackCadence = Annotated[Cadence, AfterValidator(_of_a_pack)]
"""A cadence that is valid for a rule pack."""
