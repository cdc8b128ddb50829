"""The claims of turns that were read last, for whoever reads the same window next."""

import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable, Sequence

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.rules.answers import Question

MOST = 256
"""Turns: the windows of a few scopes, whose packs come due at the same time."""
LONGEST = 4_000
"""Characters of a turn that is remembered: of longer ones it would be too many."""


class Remembering:
    """A *read* that is pure, remembered over its last turns: the same turn after the same question is read once."""

    def __init__(self, read: Callable[[StoredEpisode, Question | None], Sequence[Claim]]) -> None:
        self._read = read
        self._last: OrderedDict[uuid.UUID, tuple[StoredEpisode, Question | None, Sequence[Claim]]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, episode: StoredEpisode, question: Question | None) -> Sequence[Claim]:
        """Return the claims of *episode*, which may answer *question*."""
        known = self._last.get(episode.id)
        if known is not None and known[:2] == (episode, question):
            return known[2]
        claims = self._read(episode, question)
        if len(episode.content) <= LONGEST:
            self._remember(episode, question, claims)
        return claims

    def _remember(self, episode: StoredEpisode, question: Question | None, claims: Sequence[Claim]) -> None:
        with self._lock:
            self._last.pop(episode.id, None)
            self._last[episode.id] = (episode, question, claims)
            while len(self._last) > MOST:
                self._last.popitem(last=False)
