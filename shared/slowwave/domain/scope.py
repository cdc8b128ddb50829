"""A scope: the owner of memories. Positions, leases and beliefs belong to one scope."""

import uuid
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, unquote

from slowwave.domain.arguments import checked_type
from slowwave.domain.limits import name_problems
from slowwave.errors import Incorrect
from slowwave.formatting import brief
from slowwave.validation_messages import shortened

GLOBAL_CHANNEL = "_global"
SYSTEM_TENANT = "_system"
PLAIN_IDS = uuid.UUID("5b7cf4a1-6a51-5a1c-9d5e-0f1d3a2c7b90")
"""The namespace of ids without a key, which is the same in every installation."""


class _Namespace:
    """The namespace in which this process makes ids. It cannot change after its first use."""

    def __init__(self) -> None:
        self._id, self._used = PLAIN_IDS, False

    def choose(self, namespace: uuid.UUID) -> None:
        if self._used and namespace != self._id:
            raise Incorrect(
                "This process already makes ids with another key.",
                hint="one process has one SLOWWAVE_ID_KEY: use another process for another installation",
            )
        self._id, self._used = namespace, True

    def use(self) -> uuid.UUID:
        self._used = True
        return self._id


_ids = _Namespace()


def use_namespace(namespace: uuid.UUID) -> None:
    """Set the *namespace* in which this process makes ids: `PLAIN_IDS`, or one that is derived from the id key.

    Raises `Incorrect` if this process already uses another namespace.
    """
    _ids.choose(namespace)


def keyed_namespace() -> uuid.UUID | None:
    """Return the secret namespace in which this process makes ids; None if it makes ids without a key."""
    namespace = _ids.use()
    return None if namespace == PLAIN_IDS else namespace


def id_of_text(text: str) -> uuid.UUID:
    """Return an id derived from *text* and, if there is one, from the id key. The *text* belongs to no scope."""
    return uuid.uuid5(keyed_namespace() or uuid.NAMESPACE_OID, text)


@checked_type
@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """A tenant's user, as one agent knows the user in one channel. Facts belong to a scope, and not to a session.

    >>> Scope("default", "Alice", "rag").key
    '/tenant/default/user/Alice/agent/rag/channel/_global/'
    """

    tenant: str
    user: str
    agent: str
    channel: str = GLOBAL_CHANNEL

    def __post_init__(self) -> None:
        problems = [
            f"{part}: {problem}"
            for part in ("tenant", "user", "agent", "channel")
            for problem in _problems(getattr(self, part))
        ]
        if self.tenant == SYSTEM_TENANT:
            problems.append(f"tenant: {SYSTEM_TENANT!r} is reserved for the installation")
        if problems:
            raise Incorrect.listing("scope", problems, hint="name tenant, user, agent and channel in plain text")

    @property
    def id(self) -> uuid.UUID:
        """The id of the scope: a hash of the names of its parts, which needs no query.

        Without SLOWWAVE_ID_KEY, the id is the same in every installation. With this key, it also depends on the key.
        """
        return _id(_ids.use(), self.tenant, self.user, self.agent, self.channel)

    @property
    def plain_id(self) -> uuid.UUID:
        """The id that the scope has in installations without SLOWWAVE_ID_KEY."""
        return _id(PLAIN_IDS, self.tenant, self.user, self.agent, self.channel)

    @property
    def key(self) -> str:
        """The scope as text, for display and export, with a closing separator. Do not search for it with LIKE."""
        names = ("tenant", "user", "agent", "channel")
        return "/" + "".join(f"{name}/{quote(getattr(self, name), safe='')}/" for name in names)

    def episode_id(self, key: str) -> uuid.UUID:
        """Return the id of the episode with this *key*. The id is a hash of the scope's id and the key.

        A repeated episode has the same id in every installation in which the scope has the same id.
        """
        try:
            return uuid.uuid5(self.id, key)
        except (TypeError, UnicodeEncodeError):
            raise Incorrect(f"key: is not text, but {shortened(key)}", hint="name the episode's key") from None

    @classmethod
    def parse(cls, key: str) -> "Scope":
        """Return the scope with this `key`.

        >>> Scope.parse('/tenant/t/user/50%25%2F/agent/a/channel/c/').user
        '50%/'
        """
        parts = key.split("/") if isinstance(key, str) else []
        if len(parts) != 10 or parts[1::2][:4] != ["tenant", "user", "agent", "channel"] or parts[0] or parts[-1]:
            raise Incorrect(
                f"not a scope: {shortened(key)}", hint="write a scope as /tenant/T/user/U/agent/A/channel/C/"
            )
        return cls(*(unquote(part) for part in parts[2:10:2]))

    def __repr__(self) -> str:
        return brief(self, self.user, f"agent {self.agent}", f"channel {self.channel}", f"tenant {self.tenant}")


def _problems(name: object) -> list[str]:
    return name_problems(name) if isinstance(name, str) else [f"is not text, but {type(name).__name__}"]


@lru_cache(maxsize=1024)
def _id(namespace: uuid.UUID, *parts: str) -> uuid.UUID:
    """Return the id of the scope of these *parts*. The id is cached, because a batch needs the id for every episode."""
    return uuid.uuid5(namespace, "".join(f"{len(part)}:{part}" for part in parts))
