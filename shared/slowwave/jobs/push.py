"""Store episodes, then wake workers: the receipts are the same even if the wake-up fails."""

import uuid
from collections.abc import Callable, Sequence

from slowwave.core.masking import MASKING, Masking
from slowwave.domain.episode import Episode, Item
from slowwave.domain.receipt import Receipt, read_items, receipts
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Crowded, Incorrect, Unavailable, Unprepared
from slowwave.ports import Inbox, StoreState
from slowwave.telemetry.collector import pushing

ATTEMPTS = 3
"""How often a batch is tried if the outcome of its commit is unknown; the keys make a repeat safe."""
BATCH = 500
"""Episodes per transaction: more would hold the scope's lock for longer and gain little."""


def push(
    inbox: Inbox,
    ring: Callable[[uuid.UUID, str], None],
    scope: Scope,
    items: Sequence[Item],
    *,
    masking: Masking = MASKING,
) -> list[Receipt]:
    """Store *items* in order and return a receipt for each; an invalid item does not affect the others.

    Secrets are masked first. Raises `Unavailable` when Postgres is unreachable; a retry with the same keys is safe,
    whatever was stored.
    """

    def take(episodes: Sequence[Episode]) -> list[Receipt]:
        good = [(scope, episode) for episode in episodes]
        batches = (good[start : start + BATCH] for start in range(0, len(good), BATCH))
        return [receipt for batch in batches for receipt in _store(inbox, ring, batch)]

    return receipts(read_items(items), pushing(scope, take), masking.episode)


def _store(
    inbox: Inbox, ring: Callable[[uuid.UUID, str], None], batch: Sequence[tuple[Scope, Episode]]
) -> list[Receipt]:
    """Store a batch. If Postgres refuses it, halve it until the failing episode is alone, and refuse that episode."""
    try:
        results, due = _patiently(inbox, batch)
    except Unprepared:
        raise  # no episode is to blame: Postgres would refuse every half
    except Incorrect as error:
        if len(batch) == 1:
            ((scope, episode),) = batch
            return [Receipt(scope.episode_id(episode.key), episode.key, "refused", error=error)]
        middle = len(batch) // 2
        return [*_store(inbox, ring, batch[:middle]), *_store(inbox, ring, batch[middle:])]
    for scope_id, job in due:
        ring(scope_id, job)
    return [_receipt(result, episode) for result, (_, episode) in zip(results, batch, strict=True)]


def _patiently(
    inbox: Inbox, batch: Sequence[tuple[Scope, Episode]]
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
