"""A key-value store on episodes. Each put is an episode, and the last put of a key is the value of the key."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote, unquote

from slowwave.adapters.journal import FIELD, decoded, episodes_of, split_value
from slowwave.domain.limits import NAME_CHARACTERS
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.errors import Conflict, Incorrect, NotFound
from slowwave.formatting import brief
from slowwave.memory import MemoryScope
from slowwave.memory.verb_group import parts_of

PAGE = 500
Namespace = tuple[str, ...]
_MARK = "shelf:"


@dataclass(frozen=True, slots=True)
class StoredValue:
    """The last value of a *key* in a *namespace*. *version* counts the puts of the key from 1."""

    namespace: Namespace
    key: str
    version: int
    value: dict[str, Any] | None
    created: datetime
    updated: datetime
    indexed: bool
    episode: str

    def __repr__(self) -> str:
        return brief(self, "/".join((*self.namespace, self.key)), f"version {self.version}")


class KeyValueStore:
    """The values in *scope*, with one session per namespace."""

    def __init__(self, scope: MemoryScope) -> None:
        self.scope = scope

    def get(self, namespace: Namespace, key: str) -> StoredValue | None:
        """Return the last value of a key, or None. The number of reads grows with the logarithm of the number of
        versions.
        """
        found = self._last(namespace, key)
        return found if found and found.value is not None else None

    def put(
        self, namespace: Namespace, key: str, value: Mapping[str, Any] | None, words: str, *, indexed: bool = True
    ) -> None:
        """Put *value*; a *value* of None deletes the key. Two concurrent puts are both stored, one after the other."""
        while True:
            before = self._last(namespace, key)
            there = before is not None and before.value is not None
            if value is None and not there:
                return
            created = before.created.isoformat() if before and there else None
            about = {"namespace": list(namespace), "key": key, "created": created, "indexed": indexed}
            version = before.version + 1 if before else 1
            episodes = episodes_of(
                None if value is None else dict(value), words if indexed else "(not to be searched)",
                key=_version_key(namespace, key, version), session=session_of(namespace), role="system",
                kind="memory_read", about={**about, "version": version}, masking=parts_of(self.scope).masking,
            )  # fmt: skip
            receipts = self.scope.push_many(episodes)
            lost = [one.error for one in receipts if one.error is not None]
            if not lost:
                return
            if not all(isinstance(error, Conflict) for error in lost):
                raise lost[0]

    def namespaces(self) -> list[Namespace]:
        """Return all namespaces that have ever had a put, in order."""
        found: list[Namespace] = []
        after = None
        while True:
            page = self.scope.conversations(PAGE, after=after)
            found += [namespace_of(one.session) for one in page if one.session.startswith(_MARK)]
            if len(page) < PAGE:
                return sorted(found)
            after = page[-1]

    def all(self, namespace: Namespace) -> list[StoredValue]:
        """Return the values of a namespace, in the order of the first puts of their keys. This reads all puts."""
        there: dict[str, RememberedEpisode] = {}
        for one in self._versions(session_of(namespace)):
            there[one.metadata[FIELD]["about"]["key"]] = one
        latest = (self._decoded(one) for one in there.values())
        return [one for one in latest if one.value is not None]

    def alike(self, namespaces: Sequence[Namespace], query: str, limit: int) -> dict[str, float]:
        """Return the ids of the episodes in *namespaces* that answer *query*, with their scores, best first."""
        found = self.scope.recall(
            query, limit=limit, archived=True, kinds=["episode"], sessions=[session_of(one) for one in namespaces]
        )
        return {str(one.id): one.score for one in found}

    def _last(self, namespace: Namespace, key: str) -> StoredValue | None:
        """Return the highest stored version of a key. Versions have no gaps."""
        low, high = 0, 1
        found = None
        while (there := self._version(namespace, key, high)) is not None:
            found, low, high = there, high, high * 2
        while high - low > 1:
            middle = (low + high) // 2
            there = self._version(namespace, key, middle)
            found, low, high = (there, middle, high) if there else (found, low, middle)
        return self._decoded(found) if found else None

    def _version(self, namespace: Namespace, key: str, version: int) -> RememberedEpisode | None:
        try:
            return self.scope.episode(_version_key(namespace, key, version))
        except NotFound:
            return None

    def _versions(self, session: str) -> Iterator[RememberedEpisode]:
        after = None
        while True:
            try:
                page = self.scope.conversation(session, limit=PAGE, after=after)
            except NotFound:
                return
            yield from (one for one in page if FIELD in one.metadata)
            if len(page) < PAGE:
                return
            after = page[-1].id

    def _decoded(self, one: RememberedEpisode) -> StoredValue:
        stored = one.metadata[FIELD]
        about = stored["about"]
        pieces = [self.scope.episode(piece).content for piece in split_value(stored)]
        created = datetime.fromisoformat(about["created"]) if about["created"] else one.received
        return StoredValue(
            tuple(about["namespace"]), about["key"], about["version"], decoded(stored, pieces), created, one.received,
            about["indexed"], str(one.id),
        )  # fmt: skip

    def __repr__(self) -> str:
        return brief(self, repr(self.scope))


def session_of(namespace: Namespace) -> str:
    """Return the session of a namespace. Raises `Incorrect` for a name that is too long."""
    name = _MARK + "/".join(quote(label, safe="") for label in namespace)
    if len(name) > NAME_CHARACTERS:
        raise Incorrect(
            f"the namespace {'/'.join(namespace)[:80]} has {len(name)} characters, at most {NAME_CHARACTERS} fit",
            hint="use shorter labels, or fewer",
        )
    return name


def namespace_of(session: str) -> Namespace:
    """Return the namespace of a session."""
    return tuple(unquote(label) for label in session.removeprefix(_MARK).split("/"))


def _version_key(namespace: Namespace, key: str, version: int) -> str:
    named = hashlib.sha256("\0".join([*namespace, key]).encode()).hexdigest()
    return f"shelf:{named}:{version}"
