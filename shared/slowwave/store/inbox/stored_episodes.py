"""The inbox: scopes, episodes at gapless positions, and the order in which people said the turns."""

import json
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, CursorResult

from slowwave.core.contradiction.references import TurnOrder
from slowwave.domain.episode import Episode, StoredEpisode
from slowwave.domain.job_table import PUSHED, WINDOWED
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.ports import StoreState
from slowwave.ports.context import REACH
from slowwave.store import advisory_locks, id_keys
from slowwave.store.direct import ask, send
from slowwave.store.encryption.columns import TOOL_KEYS
from slowwave.store.encryption.tenant_keys import cipher_of, encrypted, encrypted_json
from slowwave.store.fingerprints import Fingerprinter, ensure_key, fingerprinter_with
from slowwave.store.schedule.schedule import end_session
from slowwave.store.statements import execute, sql

TURNS_BEFORE = 6
"""The number of earlier turns of a session that a turn gets as context: three exchanges."""


def orders(connection: Connection, scope: uuid.UUID, pack: str, upto: int = 0) -> tuple[TurnOrder, TurnOrder]:
    """Return the order in which people said the turns that *pack* has read, and the order of all turns up to *upto*."""
    read, positions = execute(connection, "inbox/turn_order", scope=scope, pack=pack, upto=upto).one()
    return TurnOrder([one for one in positions or () if one <= read]), TurnOrder(positions or ())


def create_scopes(connection: Connection, scopes: Iterable[Scope]) -> None:
    """Create the missing rows of *scopes*, which belong to one tenant, and of this tenant. Safe to repeat.

    With the scope of a channel, the `_global` scope of the same agent and user is created, because promotions write to
    `_global`.

    A separate first statement takes a lock against the registration of packs. Otherwise a new scope could lack the
    watermark of a pack that is registered at the same time. Under the lock, the id key is compared again: it may have
    been registered after this process compared it. Raises `Unprepared` if it is another key.
    """
    asked = set(scopes)
    new = sorted(asked | {replace(scope, channel=GLOBAL_CHANNEL) for scope in asked}, key=lambda scope: scope.id)
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock_shared(%(lock)s)", {"lock": advisory_locks.PACKS})
    id_keys.refuse_other(connection)
    ensure_key(connection)
    execute(
        connection,
        "inbox/create_scopes",
        scopes=[scope.id for scope in new],
        users=[scope.user for scope in new],
        agents=[scope.agent for scope in new],
        channels=[scope.channel for scope in new],
        windowed=list(WINDOWED),
    )


def name_again(connection: Connection, scopes: Iterable[Scope]) -> None:
    """Restore the names of *scopes*, and of the `_global` scopes of the same agents, if an erasure removed the
    names.
    """
    asked = set(scopes)
    for scope in sorted(asked | {replace(scope, channel=GLOBAL_CHANNEL) for scope in asked}, key=lambda one: one.id):
        connection.exec_driver_sql(
            "UPDATE scope_heads SET user_id = %(user)s, channel = %(channel)s, erased = NULL "
            "WHERE scope = %(scope)s AND erased IS NOT NULL",
            {"scope": scope.id, "user": scope.user, "channel": scope.channel},
        )


def store(
    connection: Connection, items: Sequence[tuple[Scope, Episode]]
) -> tuple[list[StoreState], Callable[[], list[tuple[uuid.UUID, str]]]]:
    """Store *items*, all of one tenant and of existing scopes, in order.

    Returns one result per item, and a function that returns the (scope, job) pairs that are due at once, which are
    known at the latest after the commit. Positions are gapless and are
    committed in order, because the rows of the scopes stay locked until the transaction ends.

    Digests are stored keyed, so that nobody can check by the database alone whether a text was pushed. Digests from
    before revision 0005 are plain; a repeated episode matches either form.
    """
    scopes = sorted({scope.id for scope, _ in items})
    ids = [scope.episode_id(episode.key) for scope, episode in items]
    locking = ask(connection, sql("inbox/lock"), {"scopes": scopes})
    asked = ask(connection, sql("inbox/known"), {"scopes": [scope.id for scope, _ in items], "ids": ids})
    locked = locking().all()
    name_again(connection, {scope for scope, _ in items if scope.id in {row.scope for row in locked if row.nameless}})
    heads: dict[uuid.UUID, int] = {row.scope: row.head for row in locked}
    olds = dict(heads)
    known: dict[uuid.UUID, tuple[int, bytes]] = {}
    erased: set[uuid.UUID] = set()
    for id_, position, digest, gone in asked():
        known[id_] = position, bytes(digest)
        erased.update([id_] if gone else [])
    prints = fingerprinter_with(bytes(locked[0].fingerprint_key)) if locked else None
    results: list[StoreState] = []
    new: list[tuple[Scope, Episode, uuid.UUID, int, bytes]] = []
    for (scope, episode), id_ in zip(items, ids, strict=True):
        assert prints is not None
        digest = prints.payload(episode.digest)
        if (found := known.get(id_)) is not None:
            position, before = found
            same = any(
                before in _forms(prints, digest, erased=id_ in erased)
                for digest in (episode.digest, episode.former_digest)
            )
            results.append(StoreState(id_, position, "known" if same else "conflict"))
            continue
        position = heads[scope.id] = heads[scope.id] + 1
        known[id_] = position, digest
        new.append((scope, episode, id_, position, digest))
        results.append(StoreState(id_, position, "stored"))
    return results, _write(connection, new, olds, heads) if new else list


def _forms(prints: Fingerprinter, digest: bytes, *, erased: bool) -> tuple[bytes, bytes]:
    """Return the two forms in which the *digest* of a known episode may be stored. An erasure keys the form again."""
    keyed = prints.payload(digest)
    return (keyed, prints.payload(keyed)) if erased else (digest, keyed)


def _write(
    connection: Connection,
    new: Sequence[tuple[Scope, Episode, uuid.UUID, int, bytes]],
    olds: dict[uuid.UUID, int],
    heads: dict[uuid.UUID, int],
) -> Callable[[], list[tuple[uuid.UUID, str]]]:
    contents = [episode.content for _, episode, *_ in new]
    metadata = [json.dumps(episode.metadata) if episode.metadata else "{}" for _, episode, *_ in new]
    rows = {
        "scopes": [scope.id for scope, *_ in new],
        "ids": [id_ for _, _, id_, _, _ in new],
        "positions": [position for _, _, _, position, _ in new],
        "digests": [digest for *_, digest in new],
        "keys": [episode.key for _, episode, *_ in new],
        "occurred": [episode.occurred_at for _, episode, *_ in new],
        "offsets": [episode.utc_offset for _, episode, *_ in new],
        "sessions": [episode.session for _, episode, *_ in new],
        "roles": [episode.role for _, episode, *_ in new],
        "kinds": [episode.kind for _, episode, *_ in new],
        "speakers": [episode.speaker for _, episode, *_ in new],
        "contents": contents,
        "encrypted": encrypted(connection, contents) if cipher_of(connection) else [],
        "metadata": encrypted_json(connection, metadata, TOOL_KEYS),
    }
    send(connection, sql("inbox/store"), rows)
    due = [
        (one.scope, one.job)
        for scope, episode, _, position, _ in new
        if episode.ends_session
        for one in end_session(connection, scope.id, episode.session, by="push", position=position)
    ]
    grown = sorted(scope for scope, head in heads.items() if head > olds[scope])
    moved = {"scopes": grown, "olds": [olds[scope] for scope in grown], "news": [heads[scope] for scope in grown]}
    asked = ask(connection, sql("inbox/intents"), {**moved, "pushed": list(PUSHED)})
    return lambda: list(dict.fromkeys([*((scope, job) for scope, job, at_once in asked() if at_once), *due]))


def window(connection: Connection, scope: uuid.UUID, lo: int, hi: int) -> list[StoredEpisode]:
    """Return the episodes at positions *lo* to *hi*, both included, in order."""
    return stored(execute(connection, "inbox/window", scope=scope, lo=lo, hi=hi))


def by_ids(connection: Connection, scope: uuid.UUID, ids: Sequence[uuid.UUID]) -> list[StoredEpisode]:
    """Return the episodes with these ids, in order of position."""
    return stored(execute(connection, "inbox/by_ids", scope=scope, ids=list(ids)))


def beginning(connection: Connection, tenant: str, digits: str, *, most: int) -> list[StoredEpisode]:
    """Return at most *most* episodes of *tenant* whose ids begin with these hexadecimal *digits*, ordered by id."""
    asked = {"tenant": tenant, "least": digits.ljust(32, "0"), "last": digits.ljust(32, "f"), "most": most}
    return stored(execute(connection, "inbox/beginning", **asked))


def stored(rows: CursorResult[Any]) -> list[StoredEpisode]:
    """Return the episodes in *rows*. The columns of *rows* are exactly the fields of an episode."""
    names = tuple(rows.keys())
    return [_unchecked(dict(zip(names, row, strict=True))) for row in rows.all()]


def _unchecked(fields: dict[str, Any]) -> StoredEpisode:
    """Return the episode with these *fields*, without validation: the fields were checked when the episode was
    pushed.
    """
    made = StoredEpisode.__new__(StoredEpisode)
    object.__setattr__(made, "__dict__", fields)
    object.__setattr__(made, "__pydantic_fields_set__", set(fields))
    object.__setattr__(made, "__pydantic_extra__", None)
    object.__setattr__(made, "__pydantic_private__", None)
    return made


def episodes_before(
    connection: Connection, scope: uuid.UUID, episodes: Sequence[StoredEpisode], *, chosen: bool
) -> list[StoredEpisode]:
    """Return the last turns before each of *episodes* in the same session, in order of position.

    If *chosen* is false, *episodes* are a window, and no turns inside the window are searched. If *chosen* is true,
    *episodes* are at separate positions.
    """
    firsts = list(episodes) if chosen else _first_of_sessions(episodes)
    sessions = list({episode.session for episode in firsts})
    talks = defaultdict[str, list[StoredEpisode]](list)
    for low, high in _reached(firsts if chosen else firsts[:1]):
        for turn in stored(execute(connection, "inbox/before", scope=scope, low=low, high=high, sessions=sessions)):
            talks[turn.session].append(turn)
    last = {turn.position: turn for first in firsts for turn in _last(talks.get(first.session, ()), first.position)}
    return [last[position] for position in sorted(last)]


def _first_of_sessions(episodes: Sequence[StoredEpisode]) -> list[StoredEpisode]:
    """Return the first episode of each session, in order of position."""
    first: dict[str, StoredEpisode] = {}
    for episode in sorted(episodes, key=lambda one: one.position):
        first.setdefault(episode.session, episode)
    return list(first.values())


def _reached(episodes: Iterable[StoredEpisode]) -> list[tuple[int, int]]:
    """Return the ranges of positions, in order, in which the turns before *episodes* may be."""
    spans: list[tuple[int, int]] = []
    for position in sorted(episode.position for episode in episodes):
        low = position - REACH
        if spans and low <= spans[-1][1] + 1:
            low = spans.pop()[0]
        spans.append((low, position - 1))
    return spans


def _last(turns: Iterable[StoredEpisode], position: int) -> list[StoredEpisode]:
    """Return the last `TURNS_BEFORE` of the ordered *turns* that lie at most `REACH` positions before *position*."""
    return [turn for turn in turns if position - REACH <= turn.position < position][-TURNS_BEFORE:]
