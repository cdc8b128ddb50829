"""One predicate: how many values it holds, and what it has to do with others."""

from dataclasses import dataclass
from typing import Literal

Policy = Literal["prefer_new", "prefer_old", "prefer_surer", "flag_review"]
"""Which of two claims that cannot both be so is believed: the newer, the older, the surer, or what a person says."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate and what is known of it; by default that it holds many values and contradicts nothing.

    A *name* that ends in `*` stands for all that begin so. Its *opposites* hold of no object of which it holds, those
    it *ends* hold no longer once it is said. What *lasts* is so for good; what is *ahead* is wished, planned or due; an
    object may go by the name of its *kinds*: what somebody drives is a car. A question that has all words of one
    *asked* asks for it: whom somebody reports to is their boss.

    *says* and *denied* are templates of a sentence; see `sentence`. Its *object* is a place, a person or the like,
    a `value`, which is no entity, or an `alias` of the subject; its *subject* is a person, an organisation or the
    like. None where nobody said what it is.
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
        """True for one that stands for all predicates that begin like it."""
        return self.name.endswith("*")
