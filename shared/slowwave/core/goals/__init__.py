"""Goals in episodes: a plan creates them, an outcome ends them."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from slowwave.domain.episode import StoredEpisode
from slowwave.domain.limits import REASON_BYTES

MOST_STEPS = 32
"""The most steps of a plan; later ones are ignored."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan: a *task*, which is a goal, and *steps*, each a goal that serves it. *source* is the id of its episode."""

    source: uuid.UUID
    task: str
    steps: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The descriptions of its goals, the task first."""
        return self.task, *self.steps


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a *task*, according to its outcome, with its *result*."""

    task: str
    success: bool
    result: str


def goal_events(episodes: Iterable[StoredEpisode]) -> Iterator[Planned | Ended]:
    """Give the goals in *episodes*, in order.

    A plan is an episode, other than an outcome, whose metadata has a `task` and a list `plan` of its steps. An outcome
    has its `task` and its `success`, a boolean.
    """
    for episode in sorted(episodes, key=lambda one: one.position):
        said = episode.metadata
        task, plan, success = _words(said.get("task")), said.get("plan"), said.get("success")
        if not task:
            continue
        if episode.kind == "outcome" and isinstance(success, bool):
            yield Ended(task, success, _clipped(episode.content))
        elif episode.kind != "outcome" and isinstance(plan, list):
            yield Planned(episode.id, task, _steps(plan))


def _steps(plan: Sequence[object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(_words, plan))))[:MOST_STEPS]


def _words(value: object) -> str:
    """Return *value* with its white space collapsed; empty for a value that describes no goal."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def _clipped(text: str) -> str:
    return text.encode("utf-8", "surrogatepass")[:REASON_BYTES].decode("utf-8", "ignore")
