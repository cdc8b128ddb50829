"""Push through an outbox: episodes that Postgres cannot store now wait on this host.

Repeats are safe because of the keys.
"""

import logging
from collections.abc import Callable, Sequence

from slowwave.core.masking import MASKING, Masking
from slowwave.domain.episode import Episode, Item
from slowwave.domain.receipt import Receipt, Spooled, StoreOutcome, read_items, receipts
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Crowded, Fault, Unavailable, Unprepared
from slowwave.ports import Outbox
from slowwave.runtime import clock
from slowwave.threads import Background, Lock, Pause, run_in_thread

_LOG = logging.getLogger(__name__)

LATER = (Unavailable, Conflict, Unprepared, Fault)
"""Errors that no episode causes. After such an error, the episodes wait in the outbox, and are tried again."""
BATCH = 500
CLOSE_SECONDS = 5.0
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.25, 30.0
SHARE = 10
"""The factor between the duration of a failed attempt and the following time in which pushes go straight to the outbox.

With the factor 10, a Postgres that lets every call time out costs the agent a tenth of its time. A Postgres that
refuses at once costs almost no time. After a refusal by a quota, only the pushes of that tenant go straight to the
outbox.
"""
ANYBODY = ""


class Spooler:
    """Stores episodes with *store*, or in *outbox* while *store* raises one of the errors in `LATER`.

    While the outbox holds episodes of a scope, later pushes of that scope also go into the outbox. A thread empties the
    outbox once Postgres is back.
    """

    def __init__(
        self, store: Callable[[Scope, Sequence[Item]], list[Receipt]], outbox: Outbox, *, masking: Masking = MASKING
    ) -> None:
        self._store = store
        self._outbox = outbox
        self._masking = masking
        self._draining = Lock()
        self._thread = Background(self._keep_draining, name="outbox")
        self._silent_until: dict[str, float] = {}

    def push(self, scope: Scope, items: Sequence[Item]) -> list[Receipt]:
        """Return a receipt per item: `stored` in Postgres, or `spooled` in the outbox.

        Raises `Unavailable` when the outbox is full.
        """
        return run_in_thread(
            lambda: receipts(read_items(items), lambda episodes: self._push(scope, episodes), self._masking.episode)
        )

    def drain(self, tenant: str | None = None) -> int:
        """Store the spooled entries, oldest first; return their number.

        After `Unavailable`, the other entries stay spooled.

        The entries of tenants over their quotas are skipped. At the end, the method raises `Crowded` if *tenant* is one
        of the skipped tenants. Without *tenant*, the method raises `Crowded` if any tenant was skipped.
        """
        gone, crowded = 0, dict[str, Crowded]()
        with self._draining:
            while entries := self._outbox.first(BATCH, besides=crowded):
                for scope in dict.fromkeys(entry.scope for entry in entries):
                    if scope.tenant in crowded:
                        continue
                    own = [entry for entry in entries if entry.scope == scope]
                    try:
                        self._hand_over(scope, own)
                    except Crowded as error:
                        crowded[scope.tenant] = error
                    else:
                        gone += len(own)
        for crowded_tenant, refusal in crowded.items():
            if tenant in (None, crowded_tenant):
                raise refusal
        return gone

    def wake(self) -> None:
        """Wake the thread if the outbox holds an entry."""
        if not self._outbox.holds():
            return
        with self._thread.change:
            if not self._thread.closed:
                self._thread.wanted()

    def close(self) -> None:
        """Stop the thread; spooled entries stay in the outbox."""
        self._thread.close(CLOSE_SECONDS)

    def _push(self, scope: Scope, episodes: Sequence[Episode]) -> list[Receipt]:
        begun = clock.monotonic()
        if begun < max(self._silent_until.get(tenant, 0.0) for tenant in (ANYBODY, scope.tenant)):
            return self._keep(scope, episodes)
        try:
            if self._outbox.holds(scope):
                self.drain(scope.tenant)
            return self._store(scope, episodes)
        except LATER as error:
            tenant = scope.tenant if isinstance(error, Crowded) else ANYBODY
            taken = clock.monotonic() - begun
            self._silent_until[tenant] = clock.monotonic() + min(SHARE * taken, LONGEST_PAUSE_SECONDS)
            return self._keep(scope, episodes)

    def _keep(self, scope: Scope, episodes: Sequence[Episode]) -> list[Receipt]:
        outcomes = self._outbox.add(scope, episodes)
        self.wake()
        return [_receipt(scope, episode, word) for episode, word in zip(episodes, outcomes, strict=True)]

    def _hand_over(self, scope: Scope, entries: Sequence[Spooled]) -> None:
        receipts = self._store(scope, [entry.episode for entry in entries])
        for entry, receipt in zip(entries, receipts, strict=True):
            if receipt.error is not None:
                self._outbox.refuse(entry.number, receipt.error.message)
        self._outbox.remove(
            [entry.number for entry, receipt in zip(entries, receipts, strict=True) if receipt.error is None]
        )

    def _keep_draining(self) -> None:
        pause = Pause(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
        while True:
            with self._thread.change:
                if self._thread.change.wait_for(lambda: self._thread.closed, timeout=pause.seconds):
                    return
            try:
                self.drain()
            except Exception as error:  # noqa: BLE001  # the thread goes on, and stores the episodes later
                if not isinstance(error, LATER):
                    _LOG.error("spooled episodes could not be stored: %s", type(error).__name__)
                pause.double()
                continue
            with (
                self._thread.change
            ):  # this is under the lock of `wake`: entries spooled from now on start a new thread
                if not self._outbox.holds():
                    self._thread.leave()
                    return


def _receipt(scope: Scope, episode: Episode, outcome: StoreOutcome) -> Receipt:
    id_ = scope.episode_id(episode.key)
    if outcome == "conflict":
        return Receipt.conflict(id_, episode.key, where=" that waits in the outbox")
    return Receipt(id_, episode.key, "spooled", repeated=outcome == "known")
