"""Dead letters: what could not be used is listed, taken up again, or laid aside. Nothing is deleted."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.letter import Letter
from slowwave.domain.run import RETRY, WINDOWED, pack_of
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, NotFound
from slowwave.store import intents
from slowwave.store.statements import sql

RETRIED = ("incorrect", "vanished", "fault")
"""Categories whose episodes can be read again as they are: by other rules, by another worker, by mended code."""
_READERS = frozenset(pack_of(job) for job in WINDOWED)


def letters(connection: Connection, *, state: str | None, numbers: Sequence[int] | None = None) -> list[Letter]:
    """Return the tenant's letters in one *state*, or in any, or those of these *numbers*, in order."""
    rows = connection.exec_driver_sql(
        sql("letters"), {"state": state, "numbers": list(numbers) if numbers is not None else None}
    ).mappings()
    return [_letter(dict(row)) for row in rows]


def _letter(row: dict[str, Any]) -> Letter:
    parts = [row.pop(part) for part in ("tenant", "user", "agent", "channel")]
    return Letter(scope=Scope(*parts) if parts[1] is not None else None, **row)


def take(connection: Connection, numbers: Sequence[int]) -> list[Letter]:
    """Return the open letters of these *numbers*. Raises `NotFound` naming those that are not there or not open."""
    found = letters(connection, state="open", numbers=numbers)
    if lost := sorted(set(numbers) - {letter.letter for letter in found}):
        raise NotFound(
            f"there is no open dead letter {', '.join(map(str, lost))}", hint="`slowwave dead-letters list` shows them"
        )
    return found


def mark(connection: Connection, numbers: Sequence[int], state: str) -> None:
    """Set the letters' state."""
    connection.exec_driver_sql(
        "UPDATE dead_letters SET state = %(state)s WHERE letter = ANY(%(numbers)s::bigint[]) AND state = 'open'",
        {"state": state, "numbers": list(numbers)},
    )


def ask_again(connection: Connection, chosen: Sequence[Letter]) -> None:
    """Ask for the episodes of letters to be read again, and mark them retried.

    Raises `Incorrect` naming every letter that cannot be read again as it is.
    """
    problems = [f"{letter.letter}: {problem}" for letter in chosen if (problem := _problem(letter))]
    if problems:
        raise Incorrect.listing("what is to be retried", problems, hint="drop them, or retry the others alone")
    for letter in chosen:
        assert letter.scope
        assert letter.pack
        assert letter.position
        intents.ask(
            connection,
            scope=letter.scope.id,
            tenant=letter.scope.tenant,
            job=RETRY,
            pack=letter.pack,
            target=letter.position,
            only=[letter.position],
        )
    mark(connection, [letter.letter for letter in chosen], "retried")


def _problem(letter: Letter) -> str | None:
    if letter.category not in RETRIED:
        return f"its category is {letter.category}: the same words would be read the same way"
    if letter.pack is None or (letter.pack.startswith("_") and letter.pack not in _READERS):
        return f"it is a letter of {letter.pack}, which reads no single episodes"
    return None if letter.scope is not None and letter.position is not None else "it names no episode"
