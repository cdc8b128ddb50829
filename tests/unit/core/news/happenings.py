"""Histories with news: possessions, plans and deeds, and their ends."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from hypothesis import strategies as st

from slowwave.core.predicates import Predicate, Predicates
from slowwave.domain.claim import Claim, Effect, StatedMode, Tense
from tests.unit.core.histories import DAY, NOON, claim
from tests.unit.tables import table

MATTERS = Predicates([
    Predicate("drives", kinds=("car",), policy="prefer_new"),
    Predicate("boss", aliases=("manager",), single_valued=True, policy="prefer_new", object="person"),
    Predicate("doctor", aliases=("gp",), object="person"),
    Predicate("plans", ahead=True),
    Predicate("born_in", single_valued=True, policy="prefer_old", lasts=True),
    Predicate("lives_in", single_valued=True, policy="prefer_surer"),
    Predicate("lived_in", ends=("lives_in",), lasts=True),
    Predicate("deadline", single_valued=True, policy="prefer_new"),
])  # fmt: skip
"""Predicates with each property that news depends on: kinds, a role with two names, a plan, a permanent predicate."""
EFFECTS: tuple[Effect, ...] = tuple(effect for effect in get_args(Effect) if effect)


def news(matter: str, effect: Effect = "end", *, subject: str = "user", day: int = 5, position: int = 9) -> Claim:
    """Return news about *matter*, told on a day."""
    return replace(
        claim(matter, predicate="*", mode="end", day=day, position=position, single_valued=False),
        effect=effect, subject=subject,
    )  # fmt: skip


def stated(
    text: str,
    *,
    verb: str = "have",
    tense: Tense = "current",
    subject: str = "user",
    day: int = 0,
) -> Claim:
    """Return a statement with these words."""
    object_ = text.partition(verb)[2].strip() or text
    told = claim(object_, predicate=verb, day=day, form="statement")
    return replace(told, text=text, tense=tense, subject=subject)


def placed(told: Claim, *, day: int, position: int, ordinal: int = 0) -> Claim:
    """Return *told* with another day and another episode."""
    return replace(told, valid_from=NOON + day * DAY, source=claim(position=position).source, ordinal=ordinal)


Fitting = Sequence[tuple[Effect, str]]
_ROWS = table(__file__)
_TYPED: dict[tuple[str, str], Fitting] = {(predicate, object_): fits for predicate, object_, fits in _ROWS["typed"]}
_STATED: dict[tuple[str, str, Tense], Fitting] = {
    (text, verb, tense): fits for text, verb, tense, fits in _ROWS["stated"]
}
"""Statements, each with the news that most often follows it."""
_EVERY: Fitting = [one for fitting in (*_TYPED.values(), *_STATED.values()) for one in fitting]
_SAID: st.SearchStrategy[StatedMode] = st.sampled_from(["assert", "correct", "end", "forget"])


@st.composite
def happenings(draw: st.DrawFn) -> list[Claim]:
    """Return claims of one scope in order of arrival: beliefs of both forms, repetitions, and news.

    What is told is mostly of the day on which it is told, and news mostly of what was told before.
    """
    claims: list[Claim] = []
    told: list[Fitting] = [_EVERY]
    position, ordinal = 1, 0
    for _ in range(draw(st.integers(3, 14))):
        step = draw(st.sampled_from([0, 1, 1, 1]))
        position, ordinal = position + step, 0 if step else ordinal + 1
        day = position if draw(st.integers(0, 2)) else draw(st.integers(0, 9))
        match draw(st.sampled_from(["typed", "typed", "stated", "stated", "said", "news", "news", "news"])):
            case "news":
                of = told[-1] if draw(st.booleans()) else draw(st.sampled_from(told))
                effect, matter = draw(st.sampled_from(of))
                made = replace(
                    news(matter, effect, subject=draw(st.sampled_from(["user", "*", "Ana"]))),
                    confidence=draw(st.sampled_from([0.5, 0.95, 0.95, 0.95])),
                )
            case "stated":
                text, verb, tense = draw(st.sampled_from(sorted(_STATED)))
                made = stated(text, verb=verb, tense=tense, subject="Ana" if text.startswith("Ana") else "user")
                told.append(_STATED[text, verb, tense])
            case sort:
                predicate, object_ = draw(st.sampled_from(sorted(_TYPED)))
                made = claim(
                    object_, predicate=predicate, mode=draw(_SAID) if sort == "said" else "assert",
                    single_valued=MATTERS.of(predicate).single_valued,
                    confidence=draw(st.sampled_from([0.5, 0.95, 0.95])),
                )  # fmt: skip
                told.append(_TYPED[predicate, object_])
        claims.append(placed(made, day=day, position=position, ordinal=ordinal))
    return claims
