"""JSON values stored exactly, in an episode's metadata, or for a long value in pieces in further episodes."""

import base64
import hashlib
import json
import zlib
from collections.abc import Sequence
from typing import Any

from slowwave.core.masking import MASKING, Masking
from slowwave.domain.episode import Episode

FIELD = "exact"
"""The field of an episode's metadata that holds an adapter's value."""
BESIDE_BYTES = 12 * 1024
"""The largest value that is stored in the metadata, which may have 16 KiB."""
PIECE_BYTES = 128 * 1024
WORDS = 64 * 1024
"""Characters of a value's words for search and learning; the value itself is never cut."""


def episodes_of(
    value: Any, words: str, *, key: str, session: str, masking: Masking = MASKING, **fields: Any
) -> list[Episode]:
    """Return the episodes that store *value*, a JSON value: first its pieces, last the episode with its *words*.

    A value beyond `BESIDE_BYTES` is compressed, and its pieces are in a separate session. The last episode gets the
    other *fields*; `about` becomes metadata. Masks secrets before it compresses, as nothing else can find them in
    pieces. Raises `Incorrect` if an episode would be invalid.
    """
    told = json.dumps(masking.value(value), separators=(",", ":"))
    held: dict[str, Any] = {"about": fields.pop("about", {})}
    pieces: list[Episode] = []
    if len(told) <= BESIDE_BYTES:
        held["json"] = told
    else:
        packed = base64.b64encode(zlib.compress(told.encode())).decode()
        cut = [packed[at : at + PIECE_BYTES] for at in range(0, len(packed), PIECE_BYTES)]
        named = (
            f"{key}/{hashlib.sha256(packed.encode()).hexdigest()[:16]}"  # words may be cut, since the value is complete
        )
        pieces = [
            Episode(content=one, key=f"{named}/{at}", session="exact-pieces", role="tool", kind="memory_read")
            for at, one in enumerate(cut)
        ]
        held["pieces"] = [one.key for one in pieces]
    content = _without_unstorable(words[:WORDS]) or "(no words)"
    return [*pieces, Episode(content=content, key=key, session=session, metadata={FIELD: held}, **fields)]


def split_value(held: Any) -> Sequence[str]:
    """Return the keys of a value's pieces from an episode's metadata; none if the metadata has the whole value."""
    keys: Sequence[str] = held.get("pieces", ())
    return keys


def decoded(held: Any, pieces: Sequence[str]) -> Any:
    """Return the value from an episode's metadata (*held*), or from its *pieces*."""
    if pieces:
        return json.loads(zlib.decompress(base64.b64decode("".join(pieces))))
    return json.loads(held["json"])


def _without_unstorable(words: str) -> str:
    """Return *words* without characters that Postgres cannot store: NUL and lone surrogates."""
    return words.replace("\0", "").encode("utf-8", "ignore").decode().strip()
