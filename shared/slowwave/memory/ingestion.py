"""Storage of episodes that an agent pushes, or sends through the broker."""

import contextlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from slowwave.domain.episode import Episode, Item
from slowwave.domain.message import tenant_of
from slowwave.domain.receipt import Receipt, items_of
from slowwave.domain.scope import SYSTEM_TENANT, Scope
from slowwave.errors import Incorrect, Unavailable
from slowwave.jobs import ingest as ingesting
from slowwave.memory.working_memory import turns_of
from slowwave.wiring import Parts


def push(parts: Parts, scope: Scope, item: Item) -> Receipt:
    """Store one episode and return its receipt. Raises the receipt's error if the episode is refused."""
    (receipt,) = push_many(parts, scope, [item])
    if receipt.error is not None:
        raise receipt.error
    return receipt


def store_turn(parts: Parts, scope: Scope, item: Item) -> Receipt:
    """Store one message; if there is a cache, also add the message to the session's working memory.

    Returns the receipt.
    """
    episode = Episode.read(item)
    if episode.kind != "message":
        raise Incorrect(f"kind: expected message, got {episode.kind!r}", hint="`push` stores episodes of every kind")
    try:
        turns = turns_of(parts, scope, episode.session)
    except Unavailable:  # no cache is configured
        return push(parts, scope, episode)
    return turns.add(episode)[0]


def push_many(parts: Parts, scope: Scope, items: Iterable[Item]) -> list[Receipt]:
    """Store episodes in order; return one receipt per episode.

    The receipt of an invalid episode is `refused`, with the error.
    """
    return parts.push_once(scope, items_of(items))


def ingest(parts: Parts, message: Mapping[str, Any], *, id_: str) -> list[Receipt]:
    """Store the episodes of a broker message; return the receipts. Never uses an outbox. See `slowwave.jobs.ingest`."""
    parts = parts.of(tenant_of(message) or SYSTEM_TENANT)
    return ingesting.ingest(parts.store, parts.inbox, partial(_confirm, parts), message, id_=id_)


def give_up(parts: Parts, message: Mapping[str, Any], reason: str, *, id_: str) -> list[Receipt]:
    """Store dead letters for a message on which our own code fails; return the receipts. See `slowwave.jobs.ingest`."""
    parts = parts.of(tenant_of(message) or SYSTEM_TENANT)
    return ingesting.give_up(parts.inbox, partial(_confirm, parts), message, reason, id_=id_)


def _confirm(parts: Parts, client: str, settled: Sequence[tuple[uuid.UUID, str | None]]) -> None:
    if parts.broker_url is not None:
        from slowwave.broker import queue

        with contextlib.suppress(Unavailable):  # without a confirmation, the sender repeats the message
            masked = [(id_, None if reason is None else parts.masking.text(reason)) for id_, reason in settled]
            queue.confirm(parts.broker_url, client, masked)
