"""Statements that do not say enough: told with their neighbour of the same turn, which says what about, or not."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from slowwave.core.beliefs.secrets import tells_secret
from slowwave.rules.grammar.linking import DEEDS, NEAR, hangs_alone, says, with_name
from slowwave.rules.statements.joining import is_deed
from slowwave.rules.statements.pointing import of_others, shows_thing
from slowwave.rules.statements.sentences import Statement

LIGHT = 6
"""The weight below which a statement is told together with its neighbour."""
MOST_WORDS = 11
"""Words that say something, of the two."""
THIN = 5
"""The weight up to which a statement says nothing alone: it goes with its neighbour even where the two are long."""
MOST_OF_THIN = 20
"""Words that say something, of such a one and its neighbour."""
LEAST_BESIDE = 6
"""The weight of what another reader tells as a deed, of words that no parse makes anything of."""
_LIKE = re.compile(r"\blike (?:this|that|these|those|it|them)\b(?! \w)")
"""Points at what was shown or told before: `moments like these`."""
_ANNOUNCED = re.compile(r"\b(?:news|updates?|surprise|announcement)(?: to share)?$")
LEAST = {"we": 1, "elided": 1, "my": 1, "finds": 1, "other": 2, "shows": 4, "holds": 5}
"""The weight of a statement of each kind that can stand alone; a deed can, whatever it weighs."""
_GENERAL = frozenset(("holds",))
"""Kinds that are about nothing that happened, and go with no neighbour."""


def whole(told: Iterable[Statement], content: str) -> Iterator[Statement]:
    """Return those of the statements *told* in a turn that say enough, each that says little with its neighbour.

    In the *content* of the turn is seen whether they point at something.
    """
    last: Statement | None = None
    for one in told:
        if last and (both := _both(last, one)):
            last = both
            continue
        if last and _enough(last, content):
            yield last
        last = one
    if last and _enough(last, content):
        yield last


def beside(told: Iterable[Statement], others: Iterable[Statement]) -> list[Statement]:
    """Return the statements *told* and those of *others* that rest on words on which none of them does, in order.

    What the others tell as a deed, they have to have looked back for, or it has to weigh enough: else a parse that
    makes nothing of it knows better.
    """
    found = list(told)
    taken = [(one.start, one.end) for one in found]
    found += [other for other in others if _holds(other) and not _rests_on(other, taken)]
    return sorted(found, key=lambda one: (one.start, one.end))


def _both(last: Statement, one: Statement) -> Statement | None:
    """Return two statements that stand near as one, where either says little; None where they do not go together."""
    if min(last.weight, one.weight) >= LIGHT or not 0 <= one.start - last.end <= NEAR or last.subject != one.subject:
        return None
    most = MOST_OF_THIN if min(last.weight, one.weight) <= THIN else MOST_WORDS
    if not _GENERAL.isdisjoint((last.kind, one.kind)) or says(last, one) > most:
        return None
    text = f"{last.text}, and {with_name(one)}"
    if tells_secret(text) or hangs_alone(replace(last, text=text)):
        return None
    weight = last.weight + one.weight
    return replace(last, text=text, end=one.end, period=last.period or one.period, weight=weight)


def _enough(one: Statement, content: str) -> bool:
    """True for a statement that says enough to who was not there, and points at nothing that it does not name."""
    if not is_deed(one) and one.weight < LEAST.get(one.kind, 0):
        return False
    said = content[one.start : one.end]
    return not (hangs_alone(one) or of_others(said) or shows_thing(said) or _LIKE.search(said))


def _holds(other: Statement) -> bool:
    if other.kind not in DEEDS or other.beside or other.spans:
        return True
    if other.weight < LEAST_BESIDE or " together" in other.text or _ANNOUNCED.search(other.text):
        return False
    return other.kind != "we" or other.tense == "past"  # of what people do they say `we`, too


def _rests_on(other: Statement, taken: Sequence[tuple[int, int]]) -> bool:
    spans = (*other.spans, (other.start, other.end))
    return any(start < end and begin < stop for start, stop in taken for begin, end in spans)
