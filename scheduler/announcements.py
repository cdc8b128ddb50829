"""Announcements of troubles: each is said once when it begins and once when it is over."""

import logging
from collections.abc import Collection

log = logging.getLogger("slowwave.scheduler")


class Announcements:
    """The sentences last said on each topic."""

    def __init__(self) -> None:
        self._said: dict[str, list[str]] = {}

    def now(self, topic: str, sentences: Collection[str] = (), *, cause: Exception | None = None) -> None:
        """Say which of *sentences* are new on this topic, and that it is well again when there are none left.

        *cause* is shown with its trace.
        """
        before = self._said.pop(topic, [])
        for sentence in sentences:
            if sentence not in before:
                log.warning("%s: %s", topic, sentence, exc_info=cause)
        if sentences:
            self._said[topic] = list(sentences)
        elif before:
            log.warning("%s: well again", topic)
