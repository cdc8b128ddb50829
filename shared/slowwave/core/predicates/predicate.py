"""One predicate: how many values it holds, and its relations to others."""

from dataclasses import dataclass
from typing import Literal

Policy = Literal["prefer_new", "prefer_old", "prefer_surer", "flag_review"]
"""The choice between two incompatible claims: the newer, the older, the more certain, or a person decides."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate and its properties; by default it holds many values and contradicts nothing.

    A *name* that ends in `*` stands for all names with this prefix. It is incompatible with its *opposites* for the
    same object; it *ends* other predicates once it is said. With *lasts* it is permanent; with *ahead* it is wished,
    planned or due. An object may also be called by one of its *kinds*: something that somebody drives is a car.
    Questions also use the words of *asked*: "whom does she report to" asks for her boss.

    *says* and *denied* are sentence templates; see `sentence`. Its *object* is a place, a person or the like, a
    `value`, which is not an entity, or an `alias` of the subject; its *subject* is a person, an organisation or the
    like. None means unknown.
    """

    name: str
    aliases: tuple[str, ...] = ()
    single_valued: bool = False
    opposites: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    lasts: bool = False
    ahead: bool = False
    policy: Policy = "prefer_surer"
    says: str | None = None
    denied: str | None = None
    object: str | None = None
    subject: str | None = None

    @property
    def open(self) -> bool:
        """True for a predicate that stands for all names with its prefix."""
        return self.name.endswith("*")
