"""Writes and reads of goals, by hand or in the transaction of a run."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import Connection

from slowwave.core.beliefs.identity import normal
from slowwave.core.tool_attempts import Ended, Planned
from slowwave.domain.goal import OPEN, Goal, GoalStatus, ParentGoal
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, NotFound
from slowwave.ports import Vectors
from slowwave.store.access.stored_words import note
from slowwave.store.audit import log as audit
from slowwave.store.encryption.tenant_keys import encrypted_text
from slowwave.store.inbox.stored_episodes import create_scopes
from slowwave.store.runs import settling
from slowwave.store.statements import execute
from slowwave.store.transaction import space_number

KIND = "goal"
MOST_OPEN = 10_000
"""The maximum number of open goals of a scope that an outcome may end."""


@dataclass(frozen=True, slots=True)
class Pursued:
    """An instruction for the transaction that ends a run: store which goals a window of episodes opened and ended.

    *statements* are about goals, in order. *vectors* are the vectors of their texts in *space*.
    """

    statements: Sequence[Planned | Ended]
    vectors: Mapping[str, Vectors]
    space: tuple[str, int]


@dataclass(frozen=True, slots=True)
class NewGoal:
    """A new goal with its *id*.

    *vector* is the vector of the description in *space*, or None if the text has no vector.
    """

    id: uuid.UUID
    description: str
    space: int
    vector: Vectors | None
    parent: uuid.UUID | None = None
    priority: int = 0
    deadline: datetime | None = None


def add(connection: Connection, scope: Scope, new: NewGoal) -> Goal:
    """Store a goal unless it exists; return the stored goal.

    Raises `NotFound` if the parent is not a goal of this scope, and `Conflict` if a different goal has the id.
    """
    create_scopes(connection, [scope])
    write(connection, scope.id, new)
    found = _one(connection, scope.id, new.id)
    if found is None:
        raise NotFound(f"there is no parent goal {new.parent}", hint="a goal and its parent belong to one scope")
    if (found.description, found.parent and found.parent.goal_id) != (new.description, new.parent):
        raise Conflict("the key is taken by another goal", hint="give the goal a key of its own")
    return found


def write(connection: Connection, scope: uuid.UUID, new: NewGoal) -> None:
    """Store and audit a goal of an existing scope. Do nothing if the goal exists, or if its parent is not a goal."""
    written = execute(
        connection,
        "goals/add",
        scope=scope,
        goal=new.id,
        parent=new.parent,
        description=encrypted_text(connection, new.description),
        priority=new.priority,
        deadline=new.deadline,
        space=None if new.vector is None else new.space,
        embedding=new.vector,
    ).scalar_one_or_none()
    if written:
        note(connection, new.description)
        audit.log_write(connection, "store", KIND, scope=scope, affected=[new.id], payload=new.description)


def move(
    connection: Connection,
    scope: uuid.UUID,
    id_: uuid.UUID,
    status: GoalStatus,
    result: str | None,
    blocked_by: uuid.UUID | None = None,
) -> Goal:
    """Set the *status* of an open goal, and the goal that blocks the open goal (*blocked_by*); return the changed goal.

    Setting the same final status again changes nothing. Raises `NotFound`, and `Conflict` if the goal has another final
    status.
    """
    if blocked_by is not None:
        get(connection, scope, blocked_by)
    moved = execute(
        connection,
        "goals/set_status",
        scope=scope,
        goal=id_,
        status=status,
        result=encrypted_text(connection, result),
        blocked_by=blocked_by,
    ).scalar_one_or_none()
    found = get(connection, scope, id_)
    if moved:
        if result:
            note(connection, result)
        audit.log_write(
            connection, "update", KIND, scope=scope, affected=[id_], detail={"status": status}, payload=result
        )
    elif (found.status, found.result) != (status, result):
        raise Conflict(f"the goal is {found.status} already", hint="add another goal")
    return found


def get(connection: Connection, scope: uuid.UUID, id_: uuid.UUID) -> Goal:
    """Return one goal. Raises `NotFound`."""
    found = _one(connection, scope, id_)
    if found is None:
        raise NotFound(f"there is no goal {id_} here", hint="ask in the scope it was added to")
    return found


def listed(connection: Connection, scope: uuid.UUID, *, status: GoalStatus | None, most: int) -> list[Goal]:
    """Return goals in order of priority, the highest first. Of goals with the same priority, the oldest comes first."""
    return _goals(connection, scope, goal=None, status=status, most=most)


def _one(connection: Connection, scope: uuid.UUID, id_: uuid.UUID) -> Goal | None:
    return next(iter(_goals(connection, scope, goal=id_, status=None, most=1)), None)


def _goals(connection: Connection, scope: uuid.UUID, **wanted: Any) -> list[Goal]:
    rows = execute(connection, "goals/list", scope=scope, **wanted)
    return [_goal(dict(row)) for row in rows.mappings()]


def _goal(row: dict[str, Any]) -> Goal:
    parent, blocker = _other(row, "parent"), _other(row, "blocker")
    embedding: Any = row.pop("embedding")
    if embedding is not None:  # an array with some versions of pgvector
        embedding = embedding.tolist() if isinstance(embedding, np.ndarray) else embedding.to_list()
    numbers: Sequence[float] | None = None if embedding is None else tuple(embedding)
    return Goal(**row, parent=parent, blocked_by=blocker, embedding=numbers)


def _other(row: dict[str, Any], which: str) -> ParentGoal | None:
    id_, description, status = (row.pop(f"{which}_{name}") for name in ("id", "description", "status"))
    return ParentGoal(id_, description, status) if id_ else None


@settling.write.register
def _pursued(effect: Pursued, connection: Connection, run: Run) -> None:
    """Open and end goals in the order of the statements. Open goals are not opened again; ended goals stay ended."""
    space = space_number(connection, *effect.space)
    for statement in effect.statements:
        open_ = _open(connection, run.scope)
        known = next((goal for goal in open_ if normal(goal.description) == normal(statement.task)), None)
        if isinstance(statement, Planned):
            parent = known.goal_id if known else _write(connection, run, statement, 0, None, effect, space)
            there = {normal(goal.description) for goal in _subgoals(parent, open_)}
            for number, step in enumerate(statement.steps, 1):
                if normal(step) not in there:
                    _write(connection, run, statement, number, parent, effect, space)
        elif known:
            for goal in (known, *_subgoals(known.goal_id, open_)):
                status: GoalStatus = "completed" if statement.success else "abandoned"
                move(connection, run.scope, goal.goal_id, status, statement.result)


def _write(
    connection: Connection, run: Run, plan: Planned, number: int, parent: uuid.UUID | None, effect: Pursued, space: int
) -> uuid.UUID:
    words = plan.words[number]
    id_ = uuid.uuid5(run.scope, f"goal/{plan.source}/{number}")
    write(connection, run.scope, NewGoal(id_, words, space, effect.vectors.get(words), parent))
    return id_


def _open(connection: Connection, scope: uuid.UUID) -> list[Goal]:
    return [goal for status in OPEN for goal in listed(connection, scope, status=status, most=MOST_OPEN)]


def _subgoals(parent: uuid.UUID, among: list[Goal]) -> list[Goal]:
    return [goal for goal in among if goal.parent is not None and goal.parent.goal_id == parent]
