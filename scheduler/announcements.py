"""Log messages about problems: one when a problem begins, and one when it is over."""

import logging
from collections.abc import Collection

log = logging.getLogger("slowwave.scheduler")


class Announcements:
    """The sentences last logged on each topic."""

    def __init__(self) -> None:
        self._said: dict[str, list[str]] = {}

    def now(self, topic: str, sentences: Collection[str] = (), *, cause: Exception | None = None) -> None:
        """Log which *sentences* are new on a *topic*, or the end of the problems if there are none.

        Logs *cause* with its traceback.
        """
        before = self._said.pop(topic, [])
        for sentence in sentences:
            if sentence not in before:
                log.warning("%s: %s", topic, sentence, exc_info=cause)
        if sentences:
            self._said[topic] = list(sentences)
        elif before:
            log.warning("%s: well again", topic)
