"""A face of what is remembered: the scope it is of, and behind it the parts of the process, which are nobody's."""

from dataclasses import dataclass, field
from typing import Protocol

from slowwave.brief import brief
from slowwave.domain.arguments import Instance, checked_type
from slowwave.domain.scope import Scope
from slowwave.wiring import Parts

OneScope = Instance[Scope]
TheParts = Instance[Parts]


class _Backed(Protocol):
    """A face that a user may hold: a memory, a scope of it, or a notebook of the scope."""

    @property
    def _parts(self) -> Parts:
        """The parts that do its work."""


def parts_of(face: _Backed) -> Parts:
    """Return the parts behind what a user holds: for who operates an installation, or proves it."""
    return face._parts


@checked_type
@dataclass(frozen=True, slots=True)
class Face:
    """One side of what is remembered in *scope*."""

    _parts: TheParts = field(repr=False)
    scope: OneScope

    def __repr__(self) -> str:
        return brief(self, self.scope.user, f"agent {self.scope.agent}", f"channel {self.scope.channel}")
