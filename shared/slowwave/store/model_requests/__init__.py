"""Model requests of runs: their states, replies and texts, and the erasure of texts."""

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls import Chunk, Words
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict
from slowwave.ports.model_calls import Applied, Keys, Planned, Reply, Request, WindowContext
from slowwave.store import dead_letters, pending_windows
from slowwave.store.beliefs import affected_facts
from slowwave.store.database import Repository
from slowwave.store.encryption.tenant_keys import encrypted_json
from slowwave.store.fingerprints import fingerprinter
from slowwave.store.inbox.stored_episodes import episodes_before
from slowwave.store.runs import settling
from slowwave.store.statements import execute, exists
from slowwave.store.work_queue import leases

MOST_FACTS = 100
MOST_NAMES = 100
KEY_CHARACTERS = 40
"""Hexadecimal digits of a request's key. A key is short enough to be an id in every batch interface."""


class PostgresModelRequests(Repository):
    """The model requests of runs that plan or consolidate. Each method is one transaction."""

    def near(self, run: Run, episodes: Sequence[StoredEpisode]) -> WindowContext:
        """Return the context of the run's window. *episodes* are the episodes of this window."""
        with self._database.tenant(run.tenant) as connection:
            before = episodes_before(connection, run.scope, episodes, chosen=bool(run.only))
            facts = affected_facts.recently_stated(connection, run.scope, most=MOST_FACTS)
            names = execute(connection, "model_requests/known_names", scope=run.scope, most=MOST_NAMES)
            return WindowContext(before, facts, list(names.scalars()))

    def keys(self, run: Run, edition: str) -> Keys:
        """Return a function that makes the key of a request from its chunk and round.

        The round is 0 at first, and higher if the request is sent again. The key is a digest with the tenant's secret.
        """
        with self._database.tenant(run.tenant) as connection:
            prints = fingerprinter(connection)

        def key(chunk: Chunk, round: int) -> str:
            turns = [part for turn in chunk.episodes for part in (turn.key, turn.content)]
            parts = [str(run.scope), run.pack, edition, str(round), *turns, "before", *(b.key for b in chunk.before)]
            return prints.request(parts).hex()[:KEY_CHARACTERS]

        return key

    def states(self, run: Run, keys: Sequence[str]) -> Mapping[str, str]:
        """Return the states of the requests with these *keys*, by key; omit requests that do not exist."""
        with self._database.tenant(run.tenant) as connection:
            rows = execute(connection, "model_requests/states", requests=list(keys))
            return {row.request: row.state for row in rows}

    def replies(self, run: Run) -> list[Reply]:
        """Return the replies for the run's window, in order of position."""
        with self._database.tenant(run.tenant) as connection:
            rows = execute(connection, "model_requests/replies", model_window=run.model_window).mappings()
            return replies_of(connection, run.scope, [dict(row) for row in rows])


def replies_of(connection: Connection, scope: Any, asked: Sequence[Mapping[str, Any]]) -> list[Reply]:
    """Return the replies in the rows *asked*, each with the chunk of its request, in the order of the rows."""
    turns = turns_at(connection, scope, sorted({p for row in asked for p in (*row["positions"], *row["quotes"])}))
    return [Reply(row["request"], row["state"], row["reason"], chunk(row, turns), row["raw"]) for row in asked]


def turns_at(connection: Connection, scope: Any, positions: Sequence[int]) -> dict[int, StoredEpisode]:
    """Return the episodes at *positions*, by position; omit erased episodes."""
    rows = execute(connection, "model_requests/turns_at_positions", scope=scope, positions=list(positions)).mappings()
    return {row["position"]: StoredEpisode.model_construct(**row) for row in rows}


def chunk(row: Mapping[str, Any], turns: Mapping[int, StoredEpisode]) -> Chunk:
    """Return the chunk of a request, with the texts of its plan."""
    words = row["words"] or {"messages": [], "schema": {}, "noted": {}}
    return Chunk(
        episodes=tuple(turns[p] for p in row["positions"] if p in turns),
        before=tuple(turns[p] for p in row["quotes"] if p in turns),
        words=Words(words["messages"], words["schema"], words["noted"]),
        prompt_tokens=row["prompt_tokens"],
        most_tokens=row["most_tokens"],
    )


@settling.write.register
def _planned(effect: Planned, connection: Connection, run: Run) -> None:
    """Write new requests and lock existing requests, in key order; then write the window that waits for the requests.

    If a reply is written meanwhile, then either this transaction sees the reply, or the writer of the reply sees the
    link to the window. Requests that no window needs any more become void.
    """
    keys = [request.key for request in effect.requests] + list(effect.hopeless)
    locked = execute(connection, "model_requests/lock_requests", requests=keys, model_window=run.model_window).all()
    execute(connection, "model_requests/end_unsplittable", requests=list(effect.hopeless))
    if "split" in add_requests(connection, run, effect):
        raise Conflict("a chunk was marked for splitting meanwhile", hint="read again and decide")
    pending_windows.planned(connection, run, edition=effect.edition, requests=keys)
    execute(connection, "model_requests/void_unneeded", requests=sorted({row.request for row in locked} - set(keys)))


def add_requests(connection: Connection, run: Run, effect: Planned) -> set[str]:
    """Write the new requests of a plan, in key order, with texts; return the states of all requests of the plan."""
    return _add(connection, run.scope, effect)


def _add(connection: Connection, scope: uuid.UUID, effect: Planned) -> set[str]:
    if not effect.requests:
        return set()
    requests = effect.requests
    states = execute(
        connection,
        "model_requests/add_requests",
        scope=scope,
        pack=effect.pack,
        model=effect.model,
        edition=effect.edition,
        requests=[request.key for request in requests],
        rounds=[request.round for request in requests],
        positions=[_array(request.chunk.positions) for request in requests],
        quotes=[_array(request.chunk.quotes) for request in requests],
        prompt_tokens=[request.chunk.prompt_tokens for request in requests],
        most_tokens=[request.chunk.most_tokens for request in requests],
    ).all()
    execute(
        connection,
        "model_requests/add_payloads",
        requests=[request.key for request in requests],
        words=encrypted_json(connection, list(map(_words, requests))),
    )
    return {row.state for row in states}


def place(connection: Connection, scope: Scope, plan: Planned) -> None:
    """Put the requests of a replay, for which no window waits, into the queue. Requests that are there stay there.

    Raises `Conflict` while a worker holds the scope, or if words of a request were erased meanwhile.
    """
    leases.take_by_hand(connection, scope)
    episodes = [turn.id for one in plan.requests for turn in (*one.chunk.episodes, *one.chunk.before)]
    if exists(connection, "FROM episode_keys WHERE id = ANY(%(episodes)s::uuid[]) AND erased", episodes=episodes):
        raise Conflict("words were erased meanwhile", hint="read again and decide")
    _add(connection, scope.id, plan)


def reason_of(connection: Connection, requests: Sequence[str]) -> str | None:
    """Return why one of *requests* ended without a readable reply; None if none of them says so."""
    found: str | None = connection.exec_driver_sql(
        "SELECT min(reason) FROM model_requests WHERE request = ANY(%(requests)s::text[]) AND state = 'dead'",
        {"requests": list(requests)},
    ).scalar_one()
    return found


@settling.write.register
def _applied(effect: Applied, connection: Connection, run: Run) -> None:
    """Write dead letters for the episodes of chunks without a readable reply, and store rejected claims."""
    for buried in effect.buried:
        dead_letters.bury_positions(
            connection, run, buried.positions, category=buried.category, reason=buried.reason
        )  # fmt: skip
    if effect.rejected:
        execute(
            connection,
            "model_requests/add_rejected_claims",
            scope=run.scope,
            pack=run.pack,
            run=run.run,
            requests=[request for request, _ in effect.rejected],
            positions=[one.position for _, one in effect.rejected],
            reasons=[one.reason for _, one in effect.rejected],
            said=encrypted_json(connection, [json.dumps(dict(one.fields)) for _, one in effect.rejected]),
        )


def _array(numbers: Sequence[int]) -> str:
    return "{" + ",".join(map(str, numbers)) + "}"


def _words(request: Request) -> str:
    words = request.chunk.words
    return json.dumps(
        {"messages": list(words.messages), "schema": dict(words.schema), "noted": dict(words.noted)}
    )  # fmt: skip


def erase(
    connection: Connection, scope: uuid.UUID, positions: Sequence[int], matching: Sequence[str] = ()
) -> list[str]:
    """Erase the text of *positions*, and the requests *matching*, from requests, replies and rejected claims; return
    the names of the changed requests.

    Call this in the transaction that erases the episodes. Runs that have read the text lose their leases. A running
    request is closed, and its reply is paid for but not stored. Waiting windows and summaries are planned again without
    the erased episodes. Replies about other episodes in the same request are erased too. Completed windows do not
    change.
    """
    if not (positions or matching):
        return []
    leases.revoke(connection, scope)
    of = {"scope": scope, "positions": list(positions), "matching": list(matching)}
    hit = list(execute(connection, "model_requests/lock_of_positions", **of).scalars())
    execute(connection, "summaries/reset_summaries", **of, requests=hit)
    if not hit:
        return []
    waiting = sorted({window for request in hit for window in pending_windows.lock_waiting(connection, request)})
    about = {"requests": hit, "scope": scope}
    for statement in (
        "UPDATE model_requests SET state = 'erased' WHERE request = ANY(%(requests)s::text[])",
        "UPDATE model_payloads SET words = NULL WHERE request = ANY(%(requests)s::text[])",
        "UPDATE model_replies SET raw = NULL, complaint = NULL WHERE request = ANY(%(requests)s::text[])",
        "UPDATE model_rejected SET said = NULL WHERE scope = %(scope)s AND request = ANY(%(requests)s::text[])",
    ):
        connection.exec_driver_sql(statement, about)
    pending_windows.set_stale(connection, waiting)
    for request in hit:
        pending_windows.wake_alone(connection, request)
    return hit
