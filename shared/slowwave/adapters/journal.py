"""Exact JSON values stored in episodes, and the journal of one conversation, which consists of such values."""

import base64
import hashlib
import json
import uuid
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from slowwave.core.masking import MASKING, Masking
from slowwave.domain.episode import Episode
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.errors import NotFound
from slowwave.formatting import brief
from slowwave.memory.asynchronous import AsyncMemoryScope
from slowwave.memory.verb_group import parts_of

FIELD = "exact"
"""The field of an episode's metadata that holds an adapter's value."""
BESIDE_BYTES = 12 * 1024
"""The largest value that is stored in the metadata, which may have 16 KiB."""
PIECE_BYTES = 128 * 1024
WORDS = 64 * 1024
"""The maximum number of characters of a value's words for search and learning. The value itself is never cut."""
PAGE = 500
JournalItem = tuple[Any, str, Mapping[str, Any]]
"""An item as JSON, its text, and the role and kind of its episode."""


def episodes_of(
    value: Any, words: str, *, key: str, session: str, masking: Masking = MASKING, **fields: Any
) -> list[Episode]:
    """Return the episodes that store *value*, a JSON value. The last episode has *words*, the searchable text of the
    value; the episodes before it have pieces of a large value.

    A value of more than `BESIDE_BYTES` is compressed and cut into pieces, whose episodes are in a separate session.
    *fields* are fields of the last episode; the field `about` becomes metadata. Secrets are masked before the
    compression, because they cannot be found in compressed pieces. Raises `Incorrect` if an episode would be invalid.
    """
    encoded = json.dumps(masking.value(value), separators=(",", ":"))
    stored: dict[str, Any] = {"about": fields.pop("about", {})}
    pieces: list[Episode] = []
    if len(encoded) <= BESIDE_BYTES:
        stored["json"] = encoded
    else:
        packed = base64.b64encode(zlib.compress(encoded.encode())).decode()
        cut = [packed[at : at + PIECE_BYTES] for at in range(0, len(packed), PIECE_BYTES)]
        named = (
            f"{key}/{hashlib.sha256(packed.encode()).hexdigest()[:16]}"  # words may be cut, since the value is complete
        )
        pieces = [
            Episode(content=one, key=f"{named}/{at}", session="exact-pieces", role="tool", kind="memory_read")
            for at, one in enumerate(cut)
        ]
        stored["pieces"] = [one.key for one in pieces]
    content = _without_unstorable(words[:WORDS]) or "(no words)"
    return [*pieces, Episode(content=content, key=key, session=session, metadata={FIELD: stored}, **fields)]


def split_value(stored: Any) -> Sequence[str]:
    """Return the keys of a value's pieces, as *stored*, an episode's metadata, lists them.

    The result is empty if *stored* has the whole value.
    """
    keys: Sequence[str] = stored.get("pieces", ())
    return keys


def decoded(stored: Any, pieces: Sequence[str]) -> Any:
    """Return the value in *pieces*; if there are none, the value in *stored*, an episode's metadata."""
    if pieces:
        return json.loads(zlib.decompress(base64.b64decode("".join(pieces))))
    return json.loads(stored["json"])


def _without_unstorable(words: str) -> str:
    """Return *words* without characters that Postgres cannot store: NUL and lone surrogates."""
    return words.replace("\0", "").encode("utf-8", "ignore").decode().strip()


class Journal:
    """The items of a *session* in *scope*. To remove an item, the journal adds an episode that hides the item; no
    episode is deleted.

    Episodes of the session that are not items are ignored.
    """

    def __init__(self, scope: AsyncMemoryScope, session: str) -> None:
        Episode.read({"content": "-", "session": session})  # raises for an invalid name before anything is stored
        self.scope, self.session = scope, session

    async def items(self, limit: int | None = None) -> list[Any]:
        """Return the items in order, exactly as they were added. With *limit*, return only the last *limit* items."""
        visible = await self._visible()
        last = visible if limit is None else visible[len(visible) - min(max(limit, 0), len(visible)) :]
        return [await self._value(one) for one in last]

    async def add(self, items: Sequence[JournalItem]) -> None:
        """Store items in order, under generated keys. If an item is invalid, raises `Incorrect` and stores nothing."""
        episodes: list[Episode] = []
        for value, words, fields in items:
            episodes += episodes_of(
                value,
                words,
                key=f"item:{uuid.uuid4().hex}",
                session=self.session,
                masking=parts_of(self.scope).masking,
                **fields,
            )
        await self._push(episodes)

    async def pop(self) -> Any | None:
        """Hide the last item and return it; None if there is no item. Concurrent callers get different items."""
        while visible := await self._visible():
            last = visible[-1]
            mark = self._mark(f"put-away:{last.key}", {"put_away": last.key})
            (receipt,) = await self.scope.push_many([mark])
            if receipt.error is not None:
                raise receipt.error
            if not receipt.repeated:
                return await self._value(last)
        return None

    async def clear(self) -> None:
        """Hide all current items."""
        visible = await self._visible()
        if visible:
            await self._push([self._mark(f"cleared:{visible[-1].key}", {"cleared": visible[-1].position})])

    async def _visible(self) -> list[RememberedEpisode]:
        """Return the episodes of the items that are not hidden, in order."""
        there: dict[str, RememberedEpisode] = {}
        for one in await self._stored():
            about = one.metadata[FIELD].get("about", {})
            if "put_away" in about:
                there.pop(about["put_away"], None)
            elif "cleared" in about:
                there = {key: episode for key, episode in there.items() if episode.position > about["cleared"]}
            else:
                there[one.key] = one
        return list(there.values())

    async def _stored(self) -> list[RememberedEpisode]:
        episodes: list[RememberedEpisode] = []
        while True:
            try:
                page = await self.scope.conversation(
                    self.session, limit=PAGE, after=episodes[-1].id if episodes else None, session=self.session
                )
            except NotFound:
                page = []
            episodes += page
            if len(page) < PAGE:
                return [one for one in episodes if FIELD in one.metadata and one.scope == self.scope.scope]

    async def _value(self, one: RememberedEpisode) -> Any:
        stored = one.metadata[FIELD]
        pieces = [(await self.scope.episode(piece, session=self.session)).content for piece in split_value(stored)]
        return decoded(stored, pieces)

    async def _push(self, episodes: Sequence[Episode]) -> None:
        for receipt in await self.scope.push_many(episodes):
            if receipt.error is not None:
                raise receipt.error

    def _mark(self, key: str, about: Mapping[str, Any]) -> Episode:
        words = "What was said last is put away" if "put_away" in about else "What was said is put away"
        (mark,) = episodes_of(
            None, words, key=key, session=self.session, role="system", kind="memory_read", about=about
        )
        return mark

    def __repr__(self) -> str:
        return brief(self, f"session {self.session}", repr(self.scope))
