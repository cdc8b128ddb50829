"""The hash of a topic, by which topics are compared."""

import hashlib

from slowwave.core.beliefs.identity import normal


def topic_hash(topic: str) -> str:
    """Return 64 hexadecimal digits that are equal for topics that differ only in case and white space.

    >>> topic_hash("Which database?") == topic_hash(" which  DATABASE?")
    True
    """
    return hashlib.sha256(normal(topic).encode("utf-8", "surrogatepass")).hexdigest()
