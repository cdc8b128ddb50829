"""Anticipation: a look-up of the memories that a conversation will probably need next."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence

from slowwave.domain.recollection import Recollection
from slowwave.domain.working_memory import Conversation
from slowwave.errors import SlowwaveError
from slowwave.threads import Background

_LOG = logging.getLogger(__name__)
MOST_CONVERSATIONS = 1_000
"""The maximum number of conversations for which a process caches memories.

Beyond it, the conversation with the oldest look-up is dropped.
"""
CLOSE_SECONDS = 5.0

Look = Callable[[], Sequence[Recollection]]


class Anticipation:
    """Looks memories up in a background thread, and caches them for the conversation's next question.

    One object serves one process. If a look-up fails, the earlier results stay. A newer request replaces a waiting
    request.
    """

    def __init__(self) -> None:
        self._due: OrderedDict[Conversation, Look] = OrderedDict()
        self._ready: OrderedDict[Conversation, tuple[Recollection, ...]] = OrderedDict()
        self._looking: Conversation | None = None
        self._thread = Background(self._follow, name="anticipation")

    def expect(self, of: Conversation, recollections: Sequence[Recollection], look: Look) -> None:
        """Cache the *recollections* that were just returned, and queue *look*, which finds the next memories; return at
        once.
        """
        with self._thread.change:
            if self._thread.closed:
                return
            self._keep(of, recollections)
            self._due[of] = look
            self._due.move_to_end(of)
            while len(self._due) > MOST_CONVERSATIONS:
                self._due.popitem(last=False)
            self._thread.wanted()

    def ready(self, of: Conversation) -> Sequence[Recollection]:
        """Return the memories that are ready for the next question of a conversation."""
        with self._thread.change:
            return self._ready.get(of, ())

    def settled(self, of: Conversation, timeout_seconds: float) -> bool:
        """Return True once no look-up for a conversation is pending or running, and False after a timeout."""
        with self._thread.change:
            return self._thread.change.wait_for(
                lambda: of not in self._due and self._looking != of, timeout=timeout_seconds
            )

    def close(self) -> None:
        """Stop the background thread."""
        with self._thread.change:
            self._due.clear()
        self._thread.close(CLOSE_SECONDS)

    def _follow(self) -> None:
        while True:
            with self._thread.change:
                self._looking = None
                self._thread.change.notify_all()
                self._thread.change.wait_for(lambda: self._due or self._thread.closed)
                if self._thread.closed:
                    return
                of, look = self._due.popitem(last=False)
                self._looking = of
            try:
                found = look()
            except SlowwaveError as error:
                _LOG.info("no memories were looked up ahead: %s", error)
                continue
            with self._thread.change:
                self._keep(of, found)

    def _keep(self, of: Conversation, found: Sequence[Recollection]) -> None:
        self._ready[of] = tuple(found)
        self._ready.move_to_end(of)
        while len(self._ready) > MOST_CONVERSATIONS:
            self._ready.popitem(last=False)
