"""A compiled manifest: expressions are compiled, sets of patterns are built, and names are resolved."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import re2

from slowwave.domain.claim import CONFIDENCE, Certainty
from slowwave.rules.pack_schema import PackPart, RulePart, TurnPart
from slowwave.rules.regexes import PatternSet

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule, with its name in claims, its certainty, and the expressions that exclude the rule."""

    part: RulePart
    name: str
    confidence: float
    unless: frozenset[int]
    exclusions: "Exclusions"
    refuse: tuple[PatternSet, ...]
    vague: tuple[PatternSet, ...]

    def is_excluded(self, text: str) -> bool:
        """Return whether *text* excludes this rule."""
        return bool(self.unless) and not self.unless.isdisjoint(self.exclusions.in_(text))

    def refuses(self, object_: str) -> bool:
        """Return whether this rule rejects *object_*."""
        return any(pattern.hits(object_) for pattern in self.refuse)

    def is_vague(self, object_: str) -> bool:
        """Return whether *object_* is too vague without a text that adds to the object."""
        return any(pattern.hits(object_) for pattern in self.vague)


class Exclusions:
    """The expressions that exclude rules, each compiled once. Rules that read the same sentence share one match."""

    def __init__(self, rules: Iterable[RulePart]) -> None:
        self._numbers = {pattern: n for n, pattern in enumerate(dict.fromkeys(p for r in rules for p in r.unless))}
        self._pattern_set = PatternSet(self._numbers)
        self._last: tuple[str, frozenset[int]] = ("", frozenset(self._pattern_set.hits("")))

    def numbers(self, patterns: Iterable[str]) -> frozenset[int]:
        """Return the numbers of these expressions."""
        return frozenset(self._numbers[pattern] for pattern in patterns)

    def in_(self, text: str) -> frozenset[int]:
        """Return the numbers of the expressions that match *text*."""
        last = self._last
        if last[0] != text:
            last = self._last = text, frozenset(self._pattern_set.hits(text))
        return last[1]


def rules_of(pack: PackPart) -> list[Rule]:
    """Return the enabled rules of a valid manifest, in the order of the file: one rule per claim."""
    exclusions = Exclusions(pack.rules)
    of_objects = dict.fromkeys(p for rule in pack.rules for p in (*rule.refuse, *rule.vague))
    refused = {one: PatternSet([one]) for one in of_objects}
    return [
        Rule(
            part,
            f"{pack.pack}/{part.id}@{pack.version}",
            CONFIDENCE[part.certainty] if part.confidence is None else part.confidence,
            exclusions.numbers(part.unless),
            exclusions,
            tuple(refused[pattern] for pattern in part.refuse),
            tuple(refused[pattern] for pattern in part.vague),
        )
        for whole in pack.rules
        if not whole.disabled
        for part in (whole, *(whole.model_copy(update={"claim": claim}) for claim in whole.also))
    ]


@dataclass(frozen=True, slots=True)
class RulePattern:
    """One expression of a rule, the rank of the expression in the pack, and the numbers of its named groups."""

    rule: Rule
    rank: int
    expression: re2._Regexp
    groups: dict[str, int]


def by_pattern(having: Iterable[tuple[T, str]]) -> tuple[PatternSet, list[list[tuple[int, T]]]]:
    """Return the distinct patterns; for each pattern, return its items with their positions in *having*."""
    owners: dict[str, list[tuple[int, T]]] = {}
    for place, (rule, pattern) in enumerate(having):
        owners.setdefault(pattern, []).append((place, rule))
    return PatternSet(owners), list(owners.values())


class RulePatterns:
    """All expressions of all rules, each compiled once. A quick test finds expressions that may match a text."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.pattern_set, owners = by_pattern((rule, pattern) for rule in rules for pattern in rule.part.when)
        self._patterns = [
            [RulePattern(rule, rank, expression, expression.groupindex) for rank, rule in of]
            for of, expression in zip(owners, self.pattern_set.expressions, strict=True)
        ]
        self._always = self.pattern_set.always

    def may_match(self, text: str) -> bool:
        """Return whether an expression may match *text*. True may be wrong; False is always right."""
        return self._always or bool(self.pattern_set.candidates(text))

    def at(self, text: str) -> list[RulePattern]:
        """Return the expressions that match *text*, in the order of the pack."""
        found = [pattern for number in self.pattern_set.hits(text) for pattern in self._patterns[number]]
        return sorted(found, key=lambda pattern: pattern.rank)


class Cuts:
    """Expressions that split a text at their group named `cut`."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._pattern_set = PatternSet(patterns)
        self._groups = [expression.groupindex["cut"] for expression in self._pattern_set.expressions]

    def spans(self, text: str, most: int) -> list[tuple[int, int]]:
        """Return at most *most* spans at which *text* is cut.

        The cuts of one expression come before the cuts of the next.
        """
        spans: list[tuple[int, int]] = []
        for number in self._pattern_set.hits(text):
            cut, group, offset = self._pattern_set.expressions[number], self._groups[number], 0
            while len(spans) < most and (match := cut.search(text, offset)):
                spans.append(match.span(group))
                offset = max(match.end(group), offset + 1)  # the text after one cut may come before the next cut
        return spans


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a guard or a `TurnPart` whose words match: block the claim, lower its certainty, or change its
    mode.
    """

    id: str
    blocks: bool = False
    certainty: Certainty | None = None
    turn: TurnPart | None = None


class Level:
    """The guards and `TurnPart`s of one level (sentence or clause). One pass over a text matches all of them."""

    def __init__(self, pack: PackPart, within: str) -> None:
        self._effects: list[Effect] = []
        patterns: list[str] = []
        for guard in (guard for guard in pack.guards if guard.within == within):
            effect = Effect(guard.id, blocks=guard.certainty is None, certainty=guard.certainty)
            patterns += guard.when
            self._effects += [effect] * len(guard.when)
        for turn in (turn for turn in pack.turns if turn.within == within):
            patterns += turn.when
            self._effects += [Effect(turn.id, turn=turn)] * len(turn.when)
        self._pattern_set = PatternSet(patterns)

    def effects(self, text: str) -> list[Effect]:
        """Return the effects that apply to *text*, in the order of the pack."""
        return [self._effects[number] for number in self._pattern_set.hits(text)]
