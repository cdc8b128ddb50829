"""The scores of a memory in the benchmark of lives."""

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
"""The share of a fact's words that another fact must contain for the first to count as a repetition."""

_T = TypeVar("_T")
_POINTING = re.compile(r"\b(?:it|its|this|these|those|they|them|there|that one|here)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_EMPTY = frozenset(
    """
    a an the and or but of at by for with to from in on is are was were be been has have had not no so as than s
    """.split()  # noqa: SIM905  # words, in readable form
)
"""Stop words."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A probe with its results: the recollections, best first (*found*), and the texts of the facts believed at that
    time (*active*).
    """

    probe: Probe
    found: Sequence[str]
    active: Sequence[str]

    @property
    def first(self) -> str:
        """The text of the best recollection; empty if there is none."""
        return self.found[0] if self.found else ""


@dataclass(slots=True)
class Marks:
    """The results of the probes (*asked*), the facts that remain after each life (*left*), and the counts of turns and
    changes.
    """

    asked: list[Asked] = field(default_factory=list)
    left: list[Sequence[Fact]] = field(default_factory=list)
    turns: int = 0
    changed: int = 0
    due: int = 0

    def figures(self) -> dict[str, float]:
        """Return every mark by name.

        - `top1`, `top3`: the share of questions answered by the first recollection, or by one of the first three.
        - `stale@1`: the share of questions whose first recollection gives an outdated answer and not the current one.
        - `false`: of the questions that have an outdated answer, the share for which a held fact gives this answer.
        - `changed`: the number of updates and deletes. `due`: the number of probes about a change.
        - `facts/100`: facts per hundred turns by people.
        - `twice`: the share of facts that repeat most words of another fact from the same turn.
        - `pointing`: the share of facts with a word that refers outside the fact, such as `it` or `there`.
        - `secret`: the share of secrets that appear in the first three recollections.
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
                [one for one in questions if one.probe.stale], lambda one: any(map(one.probe.misled_by, one.active))
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
