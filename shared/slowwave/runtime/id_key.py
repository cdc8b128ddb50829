"""The id key. Without this key, nobody can compute the id of a scope from the names of its parts."""

import base64
import hmac
import uuid

from slowwave.errors import Incorrect

LEAST_BYTES = 32
"""The fewest bytes of a key."""


class IdKey:
    """The key of SLOWWAVE_ID_KEY. *secret* is base64 of at least 32 bytes; raises `Incorrect` otherwise.

    *namespace* is the namespace of the ids of scopes. The database stores *proof* to recognise the key; neither the key
    nor an id can be computed from *proof*.
    """

    def __init__(self, secret: str) -> None:
        try:
            key = base64.b64decode(secret.strip(), validate=True)
        except ValueError:
            problem = "is not base64"
        else:
            problem = f"has {len(key)} bytes, must have at least {LEAST_BYTES}" if len(key) < LEAST_BYTES else ""
        if problem:
            raise Incorrect(f"SLOWWAVE_ID_KEY: {problem}", hint="`openssl rand -base64 32` prints a key") from None
        self.namespace = uuid.UUID(bytes=hmac.digest(key, b"slowwave scope ids", "sha256")[:16])
        self.proof = hmac.digest(key, b"check", "sha256")
