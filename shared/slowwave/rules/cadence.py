"""The cadence of a job, validated before it is scheduled."""

import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import available_timezones

from croniter import CroniterBadDateError, CroniterError, croniter
from pydantic import AfterValidator, Field, RootModel, field_validator, model_validator

from slowwave.core.cadence import timetable
from slowwave.core.segments import MIN_EVENTS, REACH, THRESHOLD, Reference
from slowwave.domain.job_table import JOBS
from slowwave.rules.yaml_file import Part, at, first, read_model, refusal
from slowwave.validation_messages import nearest

CRON_CHARACTERS = 128
MAX_AGE = timedelta(hours=24)
CADENCES = "cadences.yaml"
LONGEST = timedelta(days=3653)
"""The longest time in a schedule or policy: ten years. Sums of such times stay within the range of dates."""
TOKENS = 8_000
"""The default size of a working memory, in tokens, from which its oldest quarter is removed."""
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
"""The fields of a cadence, each with the kind of schedule that the field makes."""
_MAY_NEVER_COME = ("every", "idle", "semantic_shift", "token_pressure", "session_end")


_time_zones = cache(available_timezones)


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
    if name not in _time_zones():
        raise ValueError(f"no such time zone: {name[:60]!r}")
    return name


class SemanticShift(Part):
    """A trigger that fires at the end of a segment. A segment ends with an event that is far from the segment's centre.

    An event is an episode. It is far if its cosine distance to the centre exceeds *threshold*, a number from 0 to 2. If
    *reference* is `consolidated`, the centre of the last consolidated segment is used instead. A segment has at least
    *min_events* events.
    """

    threshold: Annotated[float, Field(ge=0, le=2)] = THRESHOLD
    min_events: Annotated[int, Field(ge=1, le=REACH, strict=True)] = MIN_EVENTS
    reference: Reference = "segment"


def _asked(given: object, plain: object) -> object:
    """Return the default trigger *plain* for `true`, None for `false`, and any other value unchanged."""
    return plain if given is True else None if given is False else given


class Cadence(Part):
    """The triggers of a job: a number of episodes, cron, an interval, and others.

    One trigger is enough to start the job. *idle* is the time without episodes in a scope. *token_pressure* is the size
    of a working memory in tokens. *capacity* names a tier, and the job starts when this tier is full; `*` names every
    tier. *max_age* is the longest time that an episode waits for the other triggers. *missed* says what happens to cron
    runs whose time passed while no scheduler ran.
    """

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
        """The kinds of schedule in this cadence."""
        given = {kind for field, kind in (*_KINDS.items(), ("max_age", "age")) if getattr(self, field)}
        return frozenset(given)

    def next_runs(self, now: datetime, count: int = 2) -> tuple[datetime, ...]:
        """Return the times of the next runs by cron and interval after *now*, in UTC: at most *count* times.

        The result is empty if the cadence has neither a cron nor an interval.
        """
        tables = []
        if self.cron is not None:
            tables.append(timetable("cron", cron=self.cron, zone=self.tz, seconds=None))
        if self.interval is not None:
            tables.append(timetable("interval", cron=None, zone=None, seconds=self.interval.total_seconds()))
        runs = (window.due for table in tables if table for window in islice(table.since(now + _TICK), count))
        return tuple(sorted(runs)[:count])


def unfit(job: str, cadence: Cadence) -> list[str]:
    """Return the reasons why *job* cannot have some of the triggers in *cadence*.

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


class _Cadences(RootModel[dict[str, PackCadence]]):
    """A cadence for each named pack."""


def load_cadences(path: Path | None, packs: Collection[str]) -> Mapping[str, Cadence]:
    """Return the cadences that override the cadences of *packs*, by pack. Without a file, the result is empty.

    Raises `Incorrect` with all problems of the file.
    """
    if path is None:
        return {}
    unknown: list[str] = []

    def without_unknown(raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        unknown.extend(name for name in raw if name not in packs)
        return {name: cadence for name, cadence in raw.items() if name in packs}

    file, problems = read_model(path, _Cadences, prepare=without_unknown)
    problems += first(f"{at(path.name, [name])}: there is no such rule pack{nearest(name, packs)}" for name in unknown)
    if file is None or problems:
        raise refusal(f"the policy {path.name}", problems, hint=f"fix {path}")
    return file.root
