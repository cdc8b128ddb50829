"""Dead letters: records of items that could not be processed, with the reason. They are listed, retried and dropped."""

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from slowwave.domain.claim import Source
from slowwave.domain.dead_letter import DeadLetter, Refused
from slowwave.domain.job_table import RETELL, RETRY, WINDOWED, pack_of
from slowwave.domain.limits import ENCRYPTION_MARK, REFUSAL_BYTES, beginning
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope, id_of_text
from slowwave.errors import Incorrect, NotFound
from slowwave.store.access.stored_words import note
from slowwave.store.encryption.columns import PLAIN_KEYS
from slowwave.store.encryption.tenant_keys import encrypted, encrypted_json, encrypted_text, stored_json_forms
from slowwave.store.statements import execute
from slowwave.store.work_queue import intents

if TYPE_CHECKING:
    from slowwave.core.masking import Masking

RETRIED = ("incorrect", "vanished", "fault")
"""The categories of dead letters whose episodes may succeed in a retry, for example after a fix of the code."""
_READERS = frozenset(pack_of(job) for job in (*WINDOWED, RETELL))
LETTER_BYTES = 2 * 1024 * 1024
"""The maximum number of bytes of an item as JSON. No storable episode has more. A larger item is stored in part."""
EXCERPT_BYTES = 16 * 1024
DEEPEST = 100
"""The maximum number of levels of nesting of a stored item. Postgres and Python fail on much deeper items."""


def letters(
    connection: Connection,
    *,
    state: str | None,
    numbers: Sequence[int] | None = None,
    conflicts: bool | None = None,
    scope: uuid.UUID | None = None,
    after: int = 0,
    most: int | None = None,
) -> list[DeadLetter]:
    """Return the tenant's dead letters that match the arguments, in order of number. An argument of None matches all.

    *conflicts* is True for reviews only, False for all other letters. A page has at most *most* letters, with numbers
    above *after*.
    """
    asked = {
        "state": state, "numbers": list(numbers) if numbers is not None else None, "conflicts": conflicts,
        "scope": scope, "after": after, "most": most,
    }  # fmt: skip
    rows = execute(connection, "dead_letters/list", **asked).mappings()
    return [_letter(dict(row)) for row in rows]


def _letter(row: dict[str, Any]) -> DeadLetter:
    parts = [row.pop(part) for part in ("tenant", "user", "agent", "channel")]
    return DeadLetter(scope=Scope(*parts) if parts[1] is not None else None, **row)


def bury_items(
    connection: Connection,
    items: Sequence[Refused],
    *,
    tenant: str,
    scope: Scope | None,
    masking: "Masking | None" = None,
) -> None:
    """Write a dead letter for each of *items*, with secrets masked.

    If an item comes again, no second letter is written.

    The column `episode` gets the episode's id, or an id derived from the item if the episode's key is unknown.
    """
    if masking is None:
        from slowwave.core.masking import MASKING

        masking = MASKING
    owner = scope.id if scope else uuid.uuid5(uuid.NAMESPACE_OID, tenant)
    texts = [_excerpt(masking.value(_storable(refused.item))) for refused in items]
    note(connection, *texts)
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%(of)s)", {"of": owner.int >> 65})
    execute(
        connection,
        "dead_letters/bury",
        scope=scope.id if scope else None,
        episodes=[
            scope.episode_id(refused.key) if scope and refused.key else id_of_text(text)
            for refused, text in zip(items, texts, strict=True)
        ],
        categories=[refused.category for refused in items],
        reasons=encrypted(connection, [_reason(masking.text(str(refused.reason))) for refused in items], same=True),
        items=encrypted_json(connection, texts, PLAIN_KEYS, same=True),
        forms=stored_json_forms(connection, texts, PLAIN_KEYS),
    )


def bury_positions(connection: Connection, run: Run, positions: Sequence[int], *, category: str, reason: str) -> None:
    """Write a dead letter for each episode at *positions* of the run's scope."""
    execute(
        connection,
        "dead_letters/bury_window",
        scope=run.scope,
        pack=run.pack,
        category=category,
        reason=encrypted_text(connection, _reason(reason), same=True),
        positions=list(positions),
    )


def ask_review(connection: Connection, scope: uuid.UUID, *, pack: str, source: Source, reason: str, item: str) -> None:
    """Write a dead letter for a conflict that a person must decide. *item* is the claim as JSON."""
    execute(
        connection,
        "dead_letters/ask_review",
        scope=scope,
        pack=pack,
        episode=source.episode,
        position=source.position,
        reason=encrypted_text(connection, _reason(reason), same=True),
        item=encrypted_json(connection, [item], PLAIN_KEYS, same=True)[0],
    )


def settle(connection: Connection, scope: uuid.UUID, reviews: Sequence[uuid.UUID]) -> None:
    """Mark *reviews* of a scope as decided. *reviews* are the ids of the deltas that the reviews would have made."""
    if not reviews:
        return
    connection.exec_driver_sql(
        "UPDATE dead_letters SET state = 'decided' WHERE scope = %(scope)s AND category = 'conflict' "
        "AND state <> 'decided' AND item ->> 'delta' = ANY(%(reviews)s::text[])",
        {"scope": scope, "reviews": [str(review) for review in reviews]},
    )


def take(connection: Connection, numbers: Sequence[int]) -> list[DeadLetter]:
    """Return the open dead letters with these *numbers*.

    Raises `NotFound` with the numbers of letters that are missing or not open.
    """
    found = letters(connection, state="open", numbers=numbers)
    if lost := sorted(set(numbers) - {letter.letter for letter in found}):
        raise NotFound(
            f"there is no open dead letter {', '.join(map(str, lost))}", hint="`slowwave dead-letters list` shows them"
        )
    return found


def mark(connection: Connection, numbers: Sequence[int], state: str) -> None:
    """Set the state of the dead letters with these *numbers*."""
    connection.exec_driver_sql(
        "UPDATE dead_letters SET state = %(state)s WHERE letter = ANY(%(numbers)s::bigint[]) AND state = 'open'",
        {"state": state, "numbers": list(numbers)},
    )


def ask_again(connection: Connection, chosen: Sequence[DeadLetter]) -> None:
    """Create intents for the episodes of dead letters, and mark the letters as retried.

    Raises `Incorrect` with the number of every dead letter that cannot be retried.
    """
    problems = [f"{letter.letter}: {problem}" for letter in chosen if (problem := _problem(letter))]
    if problems:
        raise Incorrect.listing("the dead letters to retry", problems, hint="drop them, or retry the others alone")
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


def _problem(letter: DeadLetter) -> str | None:
    if letter.category not in RETRIED:
        return f"its category is {letter.category}: the same words would be read the same way"
    if letter.pack is None or (letter.pack.startswith("_") and letter.pack not in _READERS):
        return f"it is a dead letter of {letter.pack}, which does not read single episodes"
    return None if letter.scope is not None and letter.position is not None else "it names no episode"


def _excerpt(item: Any) -> str:
    """Return a storable *item* as JSON, or the beginning of the JSON if the item is too large."""
    text = json.dumps(item, allow_nan=False)
    return text if len(text) <= LETTER_BYTES else json.dumps({"bytes": len(text), "begins": text[:EXCERPT_BYTES]})


def _reason(reason: object) -> str:
    """Return *reason* as text that Postgres can store, cut to `REFUSAL_BYTES`."""
    return beginning(_storable(str(reason)), REFUSAL_BYTES)


def _storable(item: Any, depth: int = 0) -> Any:
    """Return *item* without the values that Postgres cannot store as JSON, and without the mark of encrypted texts."""
    if depth > DEEPEST:
        return "…"
    if isinstance(item, str):
        plain = item.replace("\0", "\ufffd").replace(ENCRYPTION_MARK, ENCRYPTION_MARK[1:])
        return plain.encode("utf-8", "replace").decode()
    if isinstance(item, Mapping):
        return {_storable(str(key)): _storable(value, depth + 1) for key, value in item.items()}
    if isinstance(item, list | tuple):
        return [_storable(value, depth + 1) for value in item]
    if isinstance(item, float) and (item != item or item in (float("inf"), float("-inf"))):
        return str(item)
    return item
