"""Storage of episodes that agents push directly or send through the broker."""

import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from slowwave.core.masking import MASKING, Masking
from slowwave.domain.dead_letter import Refused
from slowwave.domain.episode import Episode, Item, is_drawn
from slowwave.domain.limits import LONE_BYTES, MESSAGE_BYTES, REFUSAL_BYTES, beginning, name_problems
from slowwave.domain.message import IngestMessage, sender_of, tenant_of
from slowwave.domain.receipt import Receipt, gathered, read_items, receipts
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Crowded, Fault, Incorrect, OverQuota, Unavailable, Unprepared
from slowwave.ports import StoreState
from slowwave.store.inbox.inbox import PostgresInbox
from slowwave.telemetry.collector import pushing

ATTEMPTS = 3
"""The maximum number of attempts to store a batch if the outcome of its commit is unknown.

A repeat is safe because episodes have keys.
"""
BATCH = 500
"""Episodes per transaction. A larger number would hold the scope's lock for longer and save little time."""
Store = Callable[[Scope, Sequence[Episode]], list[Receipt]]
Confirm = Callable[[str, Sequence[tuple[uuid.UUID, str | None]]], None]
"""A function that tells a client which episodes are stored, and which are refused, with the reason."""


def push(
    inbox: PostgresInbox,
    ring: Callable[[uuid.UUID, str], None],
    scope: Scope,
    items: Sequence[Item],
    *,
    masking: Masking = MASKING,
    once: bool = False,
) -> list[Receipt]:
    """Store *items* in order and return a receipt for each; an invalid item does not affect the others.

    Secrets are masked first, and workers are notified afterwards. Raises `Unavailable` when Postgres is unreachable. A
    retry with the same keys is safe, even if some items were stored.

    With *once*, a retry of an item without a key is safe too, after any error: a push with such an item raises
    `OverQuota` if it exceeds a full quota, and raises no error after it has stored an item (see `gathered`).
    """

    def take(episodes: Sequence[Episode]) -> list[Receipt]:
        good = [(scope, episode) for episode in episodes]
        batches = (good[start : start + BATCH] for start in range(0, len(good), BATCH))
        whole = once and any(is_drawn(episode.key) for episode in episodes)
        found = (receipt for batch in batches for receipt in _store(inbox, ring, batch, whole=whole))
        return gathered(found, episodes) if once else list(found)

    return receipts(read_items(items), pushing(scope, take), masking.episode)


def _store(
    inbox: PostgresInbox,
    ring: Callable[[uuid.UUID, str], None],
    batch: Sequence[tuple[Scope, Episode]],
    *,
    whole: bool,
) -> Iterator[Receipt]:
    """Store a batch, and yield the receipts of each part after its commit.

    If Postgres refuses the batch, halve it until the failing episode is alone, and refuse that episode. If the batch
    exceeds a quota, halve it too, unless it must stay *whole*; then raise `OverQuota`.
    """
    try:
        results, due = _patiently(inbox, batch)
    except Unprepared:
        raise  # no episode is the cause: Postgres would refuse every half
    except Incorrect as error:
        if len(batch) == 1:
            ((scope, episode),) = batch
            yield Receipt(scope.episode_id(episode.key), episode.key, "refused", error=error)
            return
        if whole and isinstance(error, OverQuota):
            raise
        middle = len(batch) // 2
        yield from _store(inbox, ring, batch[:middle], whole=whole)
        yield from _store(inbox, ring, batch[middle:], whole=whole)
        return
    for scope_id, job in due:
        ring(scope_id, job)
    yield from (_receipt(result, episode) for result, (_, episode) in zip(results, batch, strict=True))


def _patiently(
    inbox: PostgresInbox, batch: Sequence[tuple[Scope, Episode]]
) -> tuple[list[StoreState], list[tuple[uuid.UUID, str]]]:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return inbox.store(batch)
        except Crowded:
            raise
        except (Unavailable, Conflict):
            if attempt == ATTEMPTS:
                raise
    raise AssertionError("unreachable")


def _receipt(result: StoreState, episode: Episode) -> Receipt:
    if result.state == "conflict":
        return Receipt.conflict(result.id, episode.key, position=result.position)
    return Receipt(result.id, episode.key, "stored", result.position, repeated=result.state == "known")


def ingest(
    store: Store, inbox: PostgresInbox, confirm: Confirm, message: Mapping[str, Any], *, id_: str
) -> list[Receipt]:
    """Store the episodes of the *message* with the id *id_*, and return a receipt for each. A repeated call is safe.

    An invalid episode or an unreadable message becomes a dead letter. If the message names its client, *confirm* tells
    the client after the commit which episodes are stored and which are refused. Raises `Unavailable` when Postgres is
    unreachable.
    """
    try:
        read, scope = _read(message)
    except Incorrect as error:
        inbox.bury([Refused(dict(message), "malformed", error.message)], scope=tenant_of(message))
        if sender := sender_of(message):
            client, scope, items = sender
            confirm(client, _settled(scope, items, [Receipt(None, "", "refused", error=error)] * len(items)))
        return []
    episodes = [_episode(item, id_, number) for number, item in enumerate(read.episodes)]

    answers = receipts(episodes, lambda good: store(scope, good))

    if refused := list(_refused(read.episodes, answers)):
        inbox.bury(refused, scope=scope)
    if read.client is not None:
        confirm(read.client, _settled(scope, read.episodes, answers))
    return answers


def give_up(
    inbox: PostgresInbox, confirm: Confirm, message: Mapping[str, Any], reason: str, *, id_: str
) -> list[Receipt]:
    """Store the episodes of a *message* as dead letters, because our own code fails on the message; return their
    receipts.

    The episodes are ingested when somebody retries the dead letters. If the message names its client, *confirm* tells
    the client the *reason*. Raises `Unavailable` when Postgres is unreachable, and `Incorrect` if this is not a
    message.
    """
    read, scope = IngestMessage.read(message)
    items = [keyed(item, id_, number) for number, item in enumerate(read.episodes)]
    answers = [Receipt(None, _key(item), "refused", error=Fault(reason)) for item in items]
    inbox.bury([Refused(item, "fault", reason, _key(item) or None) for item in items], scope=scope)
    if read.client is not None:
        confirm(read.client, _settled(scope, items, answers))
    return answers


def keyed(item: Any, id_: str, number: int) -> Any:
    """Return the item with this *number* in the message *id_*, with the same key at each delivery of the message."""
    if isinstance(item, Mapping) and "key" not in item:
        return {**item, "key": uuid.uuid5(uuid.NAMESPACE_OID, f"{id_}/{number}").hex}
    return item


def _read(message: Mapping[str, Any]) -> tuple[IngestMessage, Scope]:
    read, scope = IngestMessage.read(message)
    size = len(json.dumps(read.episodes, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    most = LONE_BYTES if len(read.episodes) == 1 else MESSAGE_BYTES
    if size > most:
        problem = f"episodes: have {size} bytes, at most {most} are allowed"
        raise Incorrect.listing("message", [problem], hint="send fewer episodes per message")
    return read, scope


def _episode(item: object, id_: str, number: int) -> Episode | Incorrect:
    item = keyed(item, id_, number)
    try:
        return Episode.read(item if isinstance(item, Mapping) else [item])
    except Incorrect as error:
        return error


def _key(item: Any) -> str:
    key = item.get("key") if isinstance(item, Mapping) else None
    return key if isinstance(key, str) and not name_problems(key) else ""


def _refused(items: Sequence[Any], answers: Sequence[Receipt]) -> Iterator[Refused]:
    for item, receipt in zip(items, answers, strict=True):
        if receipt.error is not None:
            category = "conflict" if isinstance(receipt.error, Conflict) else "malformed"
            yield Refused(item, category, receipt.error.message, receipt.key or None)


def _settled(scope: Scope, items: Sequence[Any], answers: Sequence[Receipt]) -> list[tuple[uuid.UUID, str | None]]:
    settled = []
    for item, receipt in zip(items, answers, strict=True):
        if key := receipt.key or _key(item):
            reason = beginning(receipt.error.message, REFUSAL_BYTES) if receipt.error else None
            settled.append((scope.episode_id(key), reason))
    return settled
