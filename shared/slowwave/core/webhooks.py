"""Webhooks: the signature of a delivery, and the time of a retry."""

import base64
import hashlib
import hmac

PREFIX = "whsec_"
"""The prefix of every secret, which comes before the bytes in base64, as in Standard Webhooks."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 2.0, 3600.0
LONGEST_WISH_SECONDS = 24 * 3600.0
"""The longest wait that a receiver may ask for."""


def secret_of(random: bytes) -> str:
    """Return the secret made from *random* bytes.

    >>> secret_of(b"slowwave")
    'whsec_c2xvd3dhdmU='
    """
    return PREFIX + base64.b64encode(random).decode()


def signature(secret: str, id_: str, timestamp: int, body: bytes) -> str:
    """Return the `webhook-signature` header, an HMAC-SHA256 over id, timestamp (seconds since 1970) and body.

    >>> signature("whsec_c2xvd3dhdmU=", "msg", 1, b"{}")
    'v1,Q/rI2FRpNs8+2sJKMphkflGr3MCRHE3qxZILCsIus6M='
    """
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = hmac.new(key, f"{id_}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"


def pause_after(attempts: int, *, chance: float, wished_seconds: float | None = None) -> float:
    """Return the seconds until a failed delivery is retried. *attempts* is the number of attempts that failed before.

    The seconds double with each attempt, up to an hour. *chance* (0 to 1) removes up to half of the seconds, because
    deliveries that failed together must not be retried together. If the receiver asks for a longer wait
    (*wished_seconds*), this wait is used, up to a day.

    >>> [pause_after(attempts, chance=0.0) for attempts in (0, 1, 5, 100)]
    [2.0, 4.0, 64.0, 3600.0]
    >>> pause_after(1, chance=1.0), pause_after(1, chance=1.0, wished_seconds=30)
    (2.0, 30)
    """
    own = min(FIRST_PAUSE_SECONDS * 2.0 ** min(attempts, 16), LONGEST_PAUSE_SECONDS) * (1 - chance / 2)
    return max(own, min(wished_seconds or 0.0, LONGEST_WISH_SECONDS))
