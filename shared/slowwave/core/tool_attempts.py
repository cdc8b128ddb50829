"""Goals, attempts and tool calls, read from the episodes of a scope."""

import math
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from slowwave.core.beliefs.identity import normal
from slowwave.domain.attempt import Attempt, ToolCall, Way
from slowwave.domain.claim import Source
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.limits import REASON_BYTES

MOST_STEPS = 32
"""The maximum number of steps of a plan. Later steps are ignored."""
REACH = 500
"""The number of positions before an outcome that are searched for its calls. It limits the episodes that a window reads
again."""
LONGEST_WAY = 32
"""The maximum number of steps of an attempt. A longer attempt is not a habit."""
LONGEST_NAME = 255
"""The maximum number of characters of a tool's or task's name."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan: a *task*, which is a goal, and *steps*, which are goals that serve the task.

    *source* is the id of its episode.
    """

    source: uuid.UUID
    task: str
    steps: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The descriptions of the goals of the plan. The first is the task."""
        return self.task, *self.steps


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a *task* according to an outcome, with the *result* of the task."""

    task: str
    success: bool
    result: str


def goal_events(episodes: Iterable[StoredEpisode]) -> Iterator[Planned | Ended]:
    """Yield the planned and the ended goals in *episodes*, in order.

    The metadata of a plan has a `task` and a list `plan` of its steps. The metadata of an outcome has a `task` and a
    boolean `success`. An outcome with a list `plan` is not a plan.
    """
    for episode in sorted(episodes, key=lambda one: one.position):
        metadata = episode.metadata
        task, plan, success = _words(metadata.get("task")), metadata.get("plan"), metadata.get("success")
        if not task:
            continue
        if episode.kind == "outcome" and isinstance(success, bool):
            result = episode.content.encode("utf-8", "surrogatepass")[:REASON_BYTES].decode("utf-8", "ignore")
            yield Ended(task, success, result)
        elif episode.kind != "outcome" and isinstance(plan, list):
            steps = dict.fromkeys(filter(None, map(_words, plan)))
            yield Planned(episode.id, task, tuple(steps)[:MOST_STEPS])


def _words(value: object) -> str:
    """Return *value* with its white space collapsed, or an empty text if *value* is not a text."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def attempts(trail: Sequence[StoredEpisode], window: Sequence[StoredEpisode]) -> list[Attempt]:
    """Return the tool attempts that ended with the outcomes of *window*, in order.

    *trail* has the tool calls and outcomes at the `REACH` positions before *window*, and at positions that *window*
    skips. If an outcome has no boolean success, or no tool call comes before it, the attempt of its session ends and is
    not counted.
    """
    open_: dict[str, list[StoredEpisode]] = {}
    counted = {episode.position for episode in window}
    found = []
    for episode in sorted((*trail, *window), key=lambda one: one.position):
        if episode.kind == "tool_call":
            open_.setdefault(episode.session, []).append(episode)
        elif episode.kind == "outcome":
            calls = open_.pop(episode.session, [])
            if episode.position in counted and (attempt := _attempt(episode, calls)):
                found.append(attempt)
    return found


def tool_calls(window: Iterable[StoredEpisode]) -> list[ToolCall]:
    """Return the calls of *window* that name their tool.

    A call without `success` counts as failed. A call without a duration counts as 0 ms.
    """
    return [
        ToolCall(
            tool=tool,
            task=name(call.metadata.get("task")),
            success=call.metadata.get("success") is True,
            latency_ms=_latency(call),
            at=call.occurred,
        )
        for call in window
        if call.kind == "tool_call" and (tool := name(call.metadata.get("tool")))
    ]


def way(task: object, tools: Iterable[object]) -> Way | None:
    """Return *tools*, in order, as a way of doing *task*. Return None if there are no steps or too many steps.

    >>> way("Booking", ["search", "Search", "pay", ""])
    Way(task='booking', tools=('search', 'pay'))
    """
    steps = tuple(tool for tool, _ in groupby(filter(None, map(name, tools))))
    return Way(name(task), steps) if 0 < len(steps) <= LONGEST_WAY else None


def name(value: object) -> str:
    """Return *value* as a normalised name, or an empty text if *value* is not a valid name.

    >>> name(" Web  Search"), name(None), name("x" * 300)
    ('web search', '', '')
    """
    text = normal(value) if isinstance(value, str) else ""
    return text if len(text) <= LONGEST_NAME else ""


def _attempt(outcome: StoredEpisode, calls: Sequence[StoredEpisode]) -> Attempt | None:
    metadata = outcome.metadata
    success = metadata.get("success")
    near = [call for call in calls if call.position > outcome.position - REACH]
    taught = metadata.get("tools")
    named = _uuid(metadata.get("strategy"))
    steps = taught if isinstance(taught, list) else [call.metadata.get("tool") for call in near]
    task = metadata.get("task") or next((call.metadata["task"] for call in near if name(call.metadata.get("task"))), "")
    made = None if named else way(task or metadata.get("context_pattern"), steps)
    if not isinstance(success, bool) or (made is None and named is None):
        return None
    return Attempt(
        way=made,
        success=success,
        at=outcome.occurred,
        local=outcome.local,
        session=outcome.session,
        outcome=_source(outcome),
        calls=tuple(_source(call) for call in _steps(near)) if named is None and taught is None else (),
        named=named,
        description=_words(metadata.get("description")),
        context_pattern=_words(metadata.get("context_pattern")),
    )


def _steps(calls: Sequence[StoredEpisode]) -> list[StoredEpisode]:
    """Return the first call of each step. Consecutive calls of one tool are one step."""
    known = [call for call in calls if name(call.metadata.get("tool"))]
    return [next(group) for _, group in groupby(known, key=lambda call: name(call.metadata["tool"]))]


def _source(episode: StoredEpisode) -> Source:
    return Source(episode.id, episode.key, episode.position, 0, len(episode.content))


def _latency(call: StoredEpisode) -> float:
    value = call.metadata.get("latency_ms")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if math.isfinite(value) and value > 0 else 0.0


def _uuid(value: object) -> uuid.UUID | None:
    try:
        return uuid.UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None
