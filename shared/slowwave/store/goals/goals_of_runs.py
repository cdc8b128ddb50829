"""Goals in the episodes that runs read: plans open goals, outcomes end them, in the run's transaction."""

import uuid

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import normal
from slowwave.core.goals import Planned
from slowwave.domain.goal import OPEN, Goal, GoalStatus
from slowwave.domain.run import Run
from slowwave.jobs.prepare import Pursued
from slowwave.store.embedding_spaces import space_number
from slowwave.store.goals import goals
from slowwave.store.runs import effects

MOST_OPEN = 10_000
"""The most open goals of a scope that an outcome may end."""


@effects.write.register
def _pursued(effect: Pursued, connection: Connection, run: Run) -> None:
    """Open and end goals in the order of *effect*. An open goal is not opened again; an ended goal stays ended."""
    space = space_number(connection, *effect.space)
    for told in effect.told:
        open_ = _open(connection, run.scope)
        known = next((goal for goal in open_ if normal(goal.description) == normal(told.task)), None)
        if isinstance(told, Planned):
            parent = known.goal_id if known else _write(connection, run, told, 0, None, effect, space)
            there = {normal(goal.description) for goal in _subgoals(parent, open_)}
            for number, step in enumerate(told.steps, 1):
                if normal(step) not in there:
                    _write(connection, run, told, number, parent, effect, space)
        elif known:
            for goal in (known, *_subgoals(known.goal_id, open_)):
                status: GoalStatus = "completed" if told.success else "abandoned"
                goals.move(connection, run.scope, goal.goal_id, status, told.result)


def _write(
    connection: Connection, run: Run, plan: Planned, number: int, parent: uuid.UUID | None, effect: Pursued, space: int
) -> uuid.UUID:
    words = plan.words[number]
    id_ = uuid.uuid5(run.scope, f"goal/{plan.source}/{number}")
    goals.write(connection, run.scope, goals.NewGoal(id_, words, space, effect.vectors.get(words), parent))
    return id_


def _open(connection: Connection, scope: uuid.UUID) -> list[Goal]:
    return [goal for status in OPEN for goal in goals.listed(connection, scope, status=status, most=MOST_OPEN)]


def _subgoals(parent: uuid.UUID, among: list[Goal]) -> list[Goal]:
    return [goal for goal in among if goal.parent is not None and goal.parent.goal_id == parent]
