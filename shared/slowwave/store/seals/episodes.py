"""The check of episodes: what is stored of an episode must match the keyed digest that its push stored."""

import hmac
import uuid
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.limits import ENCRYPTION_MARK
from slowwave.domain.scope import keyed_namespace
from slowwave.errors import Unprepared
from slowwave.store.encryption.tenant_keys import DESTROYED
from slowwave.store.fingerprints import Fingerprinter, fingerprinter
from slowwave.store.inbox.digests import possible_digests
from slowwave.store.statements import execute

PAGE = 500
"""The number of episodes read at once."""


def episode_changed(connection: Connection, scope: uuid.UUID) -> str | None:
    """Return a description of the first episode that does not match its digest or its id, or None if all match.

    The digest covers the content, the session, the role, the kind, the time and the metadata as they were stored, after
    the masking of secrets. The id covers the key.
    """
    prints: Fingerprinter | None = None
    last = 0
    try:
        for row in _episodes(connection, scope):
            prints = prints or fingerprinter(connection)
            if row.gone:
                return f"episode {row.id} at {row.position} counts as erased, and nothing was erased"
            if row.key is not None and not _matches(prints, scope, row):
                return f"episode {row.id} at {row.position} differs from the digest of what was pushed"
            last = row.position
    except Unprepared:
        return f"the encrypted words of the next episode after position {last} were changed"
    return None


def _episodes(connection: Connection, scope: uuid.UUID) -> Iterator[Any]:
    """Yield the episodes of *scope* in order. Raises `Unprepared` at the first whose encrypted words were changed."""
    after, most = 0, PAGE
    while True:
        try:
            rows = execute(
                connection, "seals/episodes", scope=scope, after=after, most=most, mark=ENCRYPTION_MARK
            ).all()
        except Unprepared:
            if most == 1:
                raise
            most = 1  # yields the sound episodes before it
            continue
        yield from rows
        if len(rows) < most:
            return
        after = rows[-1].position


def _matches(prints: Fingerprinter, scope: uuid.UUID, row: Any) -> bool:
    if row.encrypted and row.content == DESTROYED:
        return True  # nothing is left to compare
    if row.erased or row.id != uuid.uuid5(scope, row.key):
        return False
    said = row.content, row.session, row.role, row.kind, row.occurred, row.received, row.metadata
    return any(_is_digest(prints, digest, bytes(row.digest)) for digest in possible_digests(*said))


def _is_digest(prints: Fingerprinter, digest: bytes, stored: bytes) -> bool:
    """Return whether *stored* is the keyed *digest*.

    Episodes from before keyed digests have a plain digest. No installation with an id key has such episodes.
    """
    if hmac.compare_digest(prints.payload(digest), stored):
        return True
    return keyed_namespace() is None and hmac.compare_digest(digest, stored)
