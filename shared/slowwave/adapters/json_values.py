"""Values that are read back exactly: JSON beside the words of an episode, in pieces of their own where it is long."""

import base64
import hashlib
import json
import zlib
from collections.abc import Sequence
from typing import Any

from slowwave.core.masking import MASKING, Masking
from slowwave.domain.episode import Episode

FIELD = "exact"
"""The field of an episode's metadata that holds what an adapter reads back."""
BESIDE_BYTES = 12 * 1024
"""A value up to this size stands in the metadata, which may have 16 KiB."""
PIECE_BYTES = 128 * 1024
WORDS = 64 * 1024
"""Characters of a value's words that are searched and learned from; the value itself is whole."""


def episodes_of(
    value: Any, words: str, *, key: str, session: str, masking: Masking = MASKING, **fields: Any
) -> list[Episode]:
    """Return the episodes that hold *value*, a JSON value: last the one that says its *words*, before it the pieces.

    A value beyond `BESIDE_BYTES` is compressed, and its pieces stand in a session of their own. More *fields* of the
    last are taken as they are; `about` goes beside the value. Secrets are masked here: in pieces nobody sees them.
    Raises `Incorrect` for what no episode may be.
    """
    told = json.dumps(masking.value(value), separators=(",", ":"))
    held: dict[str, Any] = {"about": fields.pop("about", {})}
    pieces: list[Episode] = []
    if len(told) <= BESIDE_BYTES:
        held["json"] = told
    else:
        packed = base64.b64encode(zlib.compress(told.encode())).decode()
        cut = [packed[at : at + PIECE_BYTES] for at in range(0, len(packed), PIECE_BYTES)]
        named = f"{key}/{hashlib.sha256(packed.encode()).hexdigest()[:16]}"  # what was cut short is in nobody's way
        pieces = [
            Episode(content=one, key=f"{named}/{at}", session="exact-pieces", role="tool", kind="memory_read")
            for at, one in enumerate(cut)
        ]
        held["pieces"] = [one.key for one in pieces]
    content = _readable(words[:WORDS]) or "(no words)"
    return [*pieces, Episode(content=content, key=key, session=session, metadata={FIELD: held}, **fields)]


def split_value(held: Any) -> Sequence[str]:
    """Return the keys of the pieces of the value that is *held* in an episode's metadata; none if it stands there."""
    keys: Sequence[str] = held.get("pieces", ())
    return keys


def decoded(held: Any, pieces: Sequence[str]) -> Any:
    """Return the value that is *held* in an episode's metadata, or in its *pieces*."""
    if pieces:
        return json.loads(zlib.decompress(base64.b64decode("".join(pieces))))
    return json.loads(held["json"])


def _readable(words: str) -> str:
    """Return *words* without what no text of Postgres has: NUL, and halves of a pair of surrogates."""
    return words.replace("\0", "").encode("utf-8", "ignore").decode().strip()
