"""Histories with news: possessions, plans and deeds, and their ends."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from hypothesis import strategies as st

from slowwave.core.predicates import Predicate, Predicates
from slowwave.domain.claim import Claim, Effect, StatedMode, Tense
from tests.unit.core.histories import DAY, NOON, claim

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
_CAR: Fitting = [("end", "car"), ("finish", "Honda"), ("replace", "car"), ("change", "I sold the red Honda now")]
_COURSE: Fitting = [
    ("end", "Spanish course"),
    ("pass", "Spanish course"),
    ("delay", "Spanish course"),
    ("change", "the Spanish course is over"),
]
_TYPED: dict[tuple[str, str], Fitting] = {
    ("drives", "Honda"): _CAR,
    ("drives", "Toyota"): _CAR,
    ("boss", "Ana"): [("leave", "Ana"), ("replace", "manager")],
    ("boss", "Bo"): [("leave", "Bo"), ("replace", "boss")],
    ("doctor", "Ana"): [("leave", "Ana"), ("replace", "gp")],
    ("doctor", "Cy"): [("leave", "Cy"), ("replace", "doctor")],
    ("plans", "buy a Honda"): [("fulfil", "bought Honda"), ("drop", "buying Honda"), ("end", "Honda")],
    ("plans", "visit Rome"): [
        ("fulfil", "visited Rome"),
        ("drop", "visiting Rome"),
        ("change", "we visit Oslo instead of Rome now"),
    ],
    ("born_in", "Rome"): [("end", "Rome"), ("change", "Rome is no longer what it was")],
    ("lives_in", "Rome"): [("end", "Rome")],
    ("lives_in", "Oslo"): [("replace", "Oslo")],
    ("lived_in", "Oslo"): [("end", "Oslo")],
    ("deadline", "20 May 2026"): [("move", "deadline"), ("delay", "deadline")],
}
_STATED: dict[tuple[str, str, Tense], Fitting] = {
    ("The user drives a red Honda", "drive", "current"): _CAR,
    ("The user's Honda is broken", "be", "current"): [("mend", "Honda"), ("end", "the old one")],
    ("The user's knee is sore", "be", "current"): [("mend", "knee")],
    ("The user wants a Honda", "want", "current"): [("fulfil", "bought Honda")],
    ("The user takes the Spanish course on Mondays", "take", "current"): _COURSE,
    ("The user takes a Spanish course by mail", "take", "current"): _COURSE,
    ("The user is going to Rome in May", "go", "future"): [("instead", "going to Oslo"), ("drop", "Rome")],
    ("The user uses Firefox", "use", "current"): [("switch", "Brave"), ("end", "Firefox")],
    ("The user's office is on the third floor", "be", "current"): [("relocate", "office"), ("end", "office")],
    ("The user sold a Toyota", "sell", "past"): [("end", "Toyota")],
    ("The user bought a Toyota", "buy", "past"): [("end", "Toyota")],
    ("The user will visit Rome on 20 May 2026", "visit", "future"): [("fulfil", "visited Rome"), ("move", "Rome")],
    ("Ana has a red Honda", "have", "current"): [("end", "red Honda"), ("end", "Honda")],
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
