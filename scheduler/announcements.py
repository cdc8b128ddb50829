"""Log messages about problems: each is logged once when it begins and once when it is over."""

import logging
from collections.abc import Collection

log = logging.getLogger("slowwave.scheduler")


class Announcements:
    """The sentences last logged on each topic."""

    def __init__(self) -> None:
        self._said: dict[str, list[str]] = {}

    def now(self, topic: str, sentences: Collection[str] = (), *, cause: Exception | None = None) -> None:
        """Log the new ones of *sentences* on this topic, and log that all is well once none are left.

        *cause* is logged with its traceback.
        """
        before = self._said.pop(topic, [])
        for sentence in sentences:
            if sentence not in before:
                log.warning("%s: %s", topic, sentence, exc_info=cause)
        if sentences:
            self._said[topic] = list(sentences)
        elif before:
            log.warning("%s: well again", topic)
