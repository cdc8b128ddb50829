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
_NAMESPACE = uuid.UUID("5b7cf4a1-6a51-5a1c-9d5e-0f1d3a2c7b90")


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
        """The id of the scope, which is a hash of the scope's parts.

        The id is the same in every installation, and known without a query.
        """
        return _id(self.tenant, self.user, self.agent, self.channel)

    @property
    def key(self) -> str:
        """The scope as text, for display and export, with a closing separator. Do not search for it with LIKE."""
        names = ("tenant", "user", "agent", "channel")
        return "/" + "".join(f"{name}/{quote(getattr(self, name), safe='')}/" for name in names)

    def episode_id(self, key: str) -> uuid.UUID:
        """Return the id of the episode with this *key*. The id is a hash of the scope and the key.

        A repeated episode has the same id in every installation.
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
def _id(*parts: str) -> uuid.UUID:
    """Return the id of the scope of these *parts*. The id is cached, because a batch needs the id for every episode."""
    return uuid.uuid5(_NAMESPACE, "".join(f"{len(part)}:{part}" for part in parts))
