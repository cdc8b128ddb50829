"""Effects of runs on model requests: the requests and window of a plan, and the outcome of replies that a run read."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection

from slowwave.domain.run import Run
from slowwave.errors import Conflict
from slowwave.ports.model_calls import Applied, Planned, Request
from slowwave.store.dead_letters import dead_letters
from slowwave.store.pending_windows import pending_windows
from slowwave.store.runs import effects
from slowwave.store.statements import sql


@effects.write.register
def _planned(effect: Planned, connection: Connection, run: Run) -> None:
    """Write new requests and lock existing ones, in key order; then write the window that waits for them.

    Either this transaction sees a reply that is written meanwhile, or the writer of the reply sees the link to the
    window. Requests that no window needs any more become void.
    """
    keys = [request.key for request in effect.requests] + list(effect.hopeless)
    locked = connection.exec_driver_sql(
        sql("model_requests/lock_requests"), {"requests": keys, "model_window": run.model_window}
    ).all()
    connection.exec_driver_sql(sql("model_requests/end_unsplittable"), {"requests": list(effect.hopeless)})
    if "split" in add_requests(connection, run, effect):
        raise Conflict("a chunk was marked for splitting meanwhile", hint="read again and decide")
    pending_windows.planned(connection, run, edition=effect.edition, requests=keys)
    connection.exec_driver_sql(
        sql("model_requests/void_unneeded"), {"requests": sorted({row.request for row in locked} - set(keys))}
    )


def add_requests(connection: Connection, run: Run, effect: Planned) -> set[str]:
    """Write the new requests of a plan, in key order, with their texts; return the states of all its requests."""
    if not effect.requests:
        return set()
    requests = effect.requests
    states = connection.exec_driver_sql(
        sql("model_requests/add_requests"),
        {
            "scope": run.scope,
            "pack": run.pack,
            "model": effect.model,
            "edition": effect.edition,
            "requests": [request.key for request in requests],
            "rounds": [request.round for request in requests],
            "positions": [_array(request.chunk.positions) for request in requests],
            "quotes": [_array(request.chunk.quotes) for request in requests],
            "prompt_tokens": [request.chunk.prompt_tokens for request in requests],
            "most_tokens": [request.chunk.most_tokens for request in requests],
        },
    ).all()
    connection.exec_driver_sql(
        sql("model_requests/add_payloads"),
        {"requests": [request.key for request in requests], "words": [_words(request) for request in requests]},
    )
    return {row.state for row in states}


@effects.write.register
def _applied(effect: Applied, connection: Connection, run: Run) -> None:
    """Write dead letters for the episodes of chunks without a readable reply, and store rejected claims."""
    for buried in effect.buried:
        dead_letters.bury_positions(
            connection, run, buried.positions, category=buried.category, reason=buried.reason
        )  # fmt: skip
    if effect.rejected:
        connection.exec_driver_sql(
            sql("model_requests/add_rejected_claims"),
            {
                "scope": run.scope,
                "pack": run.pack,
                "run": run.run,
                "requests": [request for request, _ in effect.rejected],
                "positions": [one.position for _, one in effect.rejected],
                "reasons": [one.reason for _, one in effect.rejected],
                "said": [json.dumps(dict(one.said)) for _, one in effect.rejected],
            },
        )


def _array(numbers: Sequence[int]) -> str:
    return "{" + ",".join(map(str, numbers)) + "}"


def _words(request: Request) -> str:
    words = request.chunk.words
    return json.dumps(
        {"messages": list(words.messages), "schema": dict(words.schema), "noted": dict(words.noted)}
    )  # fmt: skip
