"""The base class of verb groups, which have a scope and the parts of the process."""

from dataclasses import dataclass, field, replace
from typing import Protocol, Self

from slowwave.domain.arguments import Instance, checked, checked_type
from slowwave.domain.scope import Scope
from slowwave.formatting import brief
from slowwave.wiring import Parts

OneScope = Instance[Scope]
TheParts = Instance[Parts]


class _Backed(Protocol):
    """An object of the public API: a memory, a scope, or a group of verbs of a scope."""

    @property
    def _parts(self) -> Parts:
        """The parts of this process, which do the object's work."""


def parts_of(face: _Backed) -> Parts:
    """Return the parts behind an object of the public API, for operators and tests of an installation."""
    return face._parts


class TenantVerbs:
    """A group of verbs with an argument *tenant*, whose default is the tenant of the settings."""

    @checked
    def __init__(self, parts: TheParts) -> None:
        self._parts = parts

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def _at(self, tenant: str | None) -> Parts:
        """Return the parts of the tenant's cell."""
        return self._parts.of(self._tenant(tenant))

    def _tenant(self, tenant: str | None) -> str:
        return self._parts.settings.tenant if tenant is None else tenant


@checked_type
@dataclass(frozen=True, slots=True)
class VerbGroup:
    """A group of verbs for the memory in *scope*."""

    _home: TheParts = field(repr=False)
    scope: OneScope

    @property
    def _parts(self) -> Parts:
        """The parts of the scope's cell, which may change between two calls."""
        return self._home.of(self.scope.tenant)

    def __repr__(self) -> str:
        return brief(self, self.scope.user, f"agent {self.scope.agent}", f"channel {self.scope.channel}")

    def _in(self, channel: str | None) -> Self:
        return self if channel is None else replace(self, scope=replace(self.scope, channel=channel))
