"""The parts of a profile: assigns each fact about a user to a part, with a reason."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from slowwave.domain.fact import Fact
from slowwave.domain.queries.profile import Profile, ProfileEntry

Part = Literal["preferences", "expertise_areas", "communication_style", "metadata"]
PARTS: tuple[Part, ...] = get_args(Part)
ELSE = "what else is known of them"
"""The reason for a fact in the part `metadata`. This part has all facts that no other part takes."""


@dataclass(frozen=True, slots=True)
class Takes:
    """The rule for the facts of a *part*.

    The predicate must match one of *predicates*, where a final `*` matches any ending. If there are *words*, the object
    must contain one of them.
    """

    part: Part
    says: str
    predicates: Sequence[str]
    words: frozenset[str] = frozenset()

    def covers(self, predicate: str, object_: str) -> bool:
        """Return whether a fact of *predicate* about *object_* belongs to this part.

        >>> Takes("preferences", "tastes", ["favourite_*"]).covers("favourite_food", "fish")
        True
        """
        named = any(
            predicate.startswith(name[:-1]) if name.endswith("*") else predicate == name for name in self.predicates
        )
        return named and (not self.words or not self.words.isdisjoint(object_.lower().split()))


def profile_of(
    user: str, takes: Sequence[Takes], facts: Iterable[tuple[Fact, Mapping[str, float]]], most: int
) -> Profile:
    """Return the profile of *user* from the facts *facts* about the user, each with its reasons.

    A fact that several scopes believe appears once, with the strongest values. In each part, the strongest facts come
    first; of equally strong facts, the newest come first. A part has at most *most* facts.
    """
    parts: dict[Part, list[ProfileEntry]] = {part: [] for part in PARTS}
    seen: set[tuple[str, str]] = set()
    for fact, reasons in sorted(facts, key=_weakest_last):
        if (key := (fact.predicate, fact.object.casefold())) in seen:
            continue
        seen.add(key)
        part, because = _place(takes, fact)
        parts[part].append(ProfileEntry(fact.predicate, fact.object, fact, reasons, because))
    shown = {part: tuple(entries[:most]) for part, entries in parts.items()}
    since = [entry.fact.recorded_from for entries in shown.values() for entry in entries]
    return Profile(user, **shown, created_at=min(since, default=None), updated_at=max(since, default=None))


def _place(takes: Sequence[Takes], fact: Fact) -> tuple[Part, str]:
    found = ((one.part, one.says) for one in takes if one.covers(fact.predicate, fact.object))
    return next(found, ("metadata", ELSE))


def _weakest_last(entry: tuple[Fact, Mapping[str, float]]) -> tuple[float, float, str]:
    fact, reasons = entry
    return -reasons["strength"], -fact.recorded_from.timestamp(), str(fact.id)
