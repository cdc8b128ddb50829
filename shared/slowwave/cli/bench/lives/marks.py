"""The marks that a memory gets for lives it was told."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from slowwave.cli.bench.lives.life import Probe
from slowwave.domain.fact import Fact

CHANGES = frozenset({"replaced", "ended", "corrected", "moved", "fulfilled"})
"""The kinds of probes that ask about a change."""
SECRET = "secret"
MOSTLY = 0.75
"""The share of a fact's words that another fact has which says it again."""

_T = TypeVar("_T")
_POINTING = re.compile(r"\b(?:it|its|this|these|those|they|them|there|that one|here)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_EMPTY = frozenset(
    """
    a an the and or but of at by for with to from in on is are was were be been has have had not no so as than s
    """.split()  # noqa: SIM905  # words, as one reads them
)
"""Words that say nothing by themselves."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A probe that was asked: what came *found*, best first, and the texts of what was *held* then."""

    probe: Probe
    found: Sequence[str]
    held: Sequence[str]

    @property
    def first(self) -> str:
        """The best of what was found; empty where nothing was."""
        return self.found[0] if self.found else ""


@dataclass(slots=True)
class Marks:
    """The probes *asked* of some lives and the facts that each *left* in the end, with counts of turns and changes."""

    asked: list[Asked] = field(default_factory=list)
    left: list[Sequence[Fact]] = field(default_factory=list)
    turns: int = 0
    changed: int = 0
    due: int = 0

    def figures(self) -> dict[str, float]:
        """Return every mark by its name.

        - `top1`, `top3`: the share of questions that the first recollection answers, or one of the first three.
        - `stale@1`: the share of questions whose first recollection says what is false by then, and not what is so.
        - `false`: the share of questions with something stale of which a held fact says just that.
        - `changed`: the updates and deletes that were decided; `due` is how many changes the questions ask about.
        - `facts/100`: facts for a hundred turns of people.
        - `twice`: the share of facts most of whose words stand in another fact of the same turn.
        - `pointing`: the share of facts with a word that points out of them, such as `it` or `there`.
        - `secret`: the share of secrets that stand in one of the first three recollections.
        """
        questions = [one for one in self.asked if one.probe.kind != SECRET]
        secrets = [one for one in self.asked if one.probe.kind == SECRET]
        facts = [fact for left in self.left for fact in left]
        return {
            "questions": len(questions),
            "top1": _share(questions, lambda one: one.probe.answered_by(one.first)),
            "top3": _share(questions, lambda one: any(map(one.probe.answered_by, one.found))),
            "stale@1": _share(questions, lambda one: one.probe.misled_by(one.first)),
            "false": _share(
                [one for one in questions if one.probe.stale], lambda one: any(map(one.probe.misled_by, one.held))
            ),
            "changed": self.changed,
            "due": self.due,
            "facts/100": 100 * len(facts) / max(1, self.turns),
            "twice": sum(_is_twice(fact, left) for left in self.left for fact in left) / max(1, len(facts)),
            "pointing": _share(facts, lambda fact: _POINTING.search(fact.text) is not None),
            "secret": _share(secrets, lambda one: any(map(one.probe.given_away_by, one.found))),
        }


def _share(of: Sequence[_T], counts: Callable[[_T], bool]) -> float:
    return sum(map(counts, of)) / max(1, len(of))


def _is_twice(fact: Fact, left: Iterable[Fact]) -> bool:
    own, keys = _words(fact.text), {source.key for source in fact.sources}
    return any(
        other.id != fact.id
        and not keys.isdisjoint(source.key for source in other.sources)
        and len(own & _words(other.text)) >= MOSTLY * len(own)
        for other in left
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _EMPTY
