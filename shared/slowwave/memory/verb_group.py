"""The base class of verb groups: a scope, and the parts of the process behind it."""

from dataclasses import dataclass, field
from typing import Protocol

from slowwave.domain.arguments import Instance, checked_type
from slowwave.domain.scope import Scope
from slowwave.formatting import brief
from slowwave.wiring import Parts

OneScope = Instance[Scope]
TheParts = Instance[Parts]


class _Backed(Protocol):
    """An object of the public API: a memory, a scope, or a working memory of the scope."""

    @property
    def _parts(self) -> Parts:
        """The parts that do the object's work."""


def parts_of(face: _Backed) -> Parts:
    """Return the parts behind a user's object, for operators and tests of an installation."""
    return face._parts


@checked_type
@dataclass(frozen=True, slots=True)
class VerbGroup:
    """A group of verbs on the memory in *scope*."""

    _parts: TheParts = field(repr=False)
    scope: OneScope

    def __repr__(self) -> str:
        return brief(self, self.scope.user, f"agent {self.scope.agent}", f"channel {self.scope.channel}")
