"""Claims for tests: a builder with defaults, and strategies for whole histories."""

import random
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from slowwave.core import ledger
from slowwave.core.beliefs.identity import belief_key, identity_of_statement
from slowwave.core.fold import Decision, Fold, Version
from slowwave.core.ledger import Entry
from slowwave.core.predicates import Predicate, Predicates
from slowwave.core.time_spans import Span
from slowwave.domain.claim import Claim, Form, Source, StatedMode

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)
REGISTERED = Predicates([
    Predicate("lives_in", single_valued=True, policy="prefer_new"),
    Predicate("works_at", single_valued=True, policy="prefer_surer"),
    Predicate("born_in", single_valued=True, policy="prefer_old"),
    Predicate("diet", single_valued=True, policy="flag_review"),
    Predicate("likes", opposites=("dislikes",)),
    Predicate("dislikes", opposites=("likes",)),
    Predicate("lived_in", ends=("lives_in",)),
])  # fmt: skip
"""A predicate of each policy, two opposites, and a predicate that ends another."""
FORMS: tuple[Form, ...] = ("typed", "statement")


def claim(
    object_: str = "Lisbon",
    *,
    predicate: str = "lives_in",
    mode: StatedMode = "assert",
    day: int = 0,
    until: int | None = None,
    position: int = 1,
    ordinal: int = 0,
    session: str = "s1",
    subject: str = "user",
    confidence: float = 0.95,
    single_valued: bool | None = None,
    form: Form = "typed",
) -> Claim:
    """Return a claim of the episode at *position*, valid from *day* days after noon.

    A statement says its subject, predicate and object, unless it means statements by some words.
    """
    episode = uuid.uuid5(uuid.NAMESPACE_OID, str(position))
    return Claim(
        subject=subject,
        predicate=predicate,
        object=object_,
        mode=mode,
        certainty="explicit",
        confidence=confidence,
        valid_from=NOON + day * DAY,
        valid_to=None if until is None else NOON + until * DAY,
        single_valued=form == "typed"
        and (REGISTERED.of(predicate).single_valued if single_valued is None else single_valued),
        rule="rule",
        session=session,
        source=Source(episode, f"e{position}", position, 0, 1),
        ordinal=ordinal,
        form=form,
        text=f"{subject} {predicate} {object_}" if form == "statement" and mode == "assert" else "",
    )


def decided(claims: Iterable[Claim], fold: Fold | None = None) -> tuple[Fold, list[Decision]]:
    """Return the fold after *claims*, and every decision it made."""
    fold = fold or Fold(predicates=REGISTERED)
    return fold, [decision for each in claims for decision in fold.decide(each)]


def reloaded(fold: Fold, seed: int) -> Fold:
    """Return the state that a later run loads, in any order."""
    dice = random.Random(seed)
    versions, news = [version for held in fold.active.values() for version in held], list(fold.news)
    dice.shuffle(versions)
    dice.shuffle(news)
    fresh = Fold(
        predicates=fold.predicates,
        ends={print_: list(ends) for print_, ends in fold.ends.items()},
        confirmed={fact: list(times) for fact, times in fold.confirmed.items()},
        news=news,
        forgotten=set(fold.forgotten),
    )
    fresh.hold(replace(version, row=row) for row, version in enumerate(versions))
    return fresh


def verdicts(decisions: Iterable[Decision]) -> list[tuple[object, ...]]:
    """Return the content of each decision that the store keeps."""
    return [(d.id, d.kind, d.reason, d.replaces, d.valid) for d in decisions]


def version(
    object_: str,
    *,
    subject: str = "user",
    predicate: str = "lives_in",
    text: str = "",
    day: float = 0,
    position: int = 1,
    single_valued: bool = False,
) -> Version:
    """Return an open belief since *day* days after noon."""
    key = belief_key(subject, predicate, object_, single_valued=single_valued)
    return Version(
        uuid.uuid5(uuid.NAMESPACE_OID, object_), key, subject, predicate, object_, Span(NOON + day * DAY), 0.95,
        position, "s", "everyday/rule@1", text=text,
    )  # fmt: skip


def statement(
    text: str, *, verb: str = "is", object_: str = "", subject: str = "Kofi", day: float = 0, position: int = 1
) -> Version:
    """Return a statement that is held since *day* days after noon."""
    key = belief_key(subject, *identity_of_statement(verb, text), single_valued=False)
    one = version(object_, subject=subject, predicate=verb, text=text, day=day, position=position)
    return replace(one, fact=uuid.uuid5(uuid.NAMESPACE_OID, text), key=key, form="statement")


def held(fold: Fold) -> set[Version]:
    """Return the open versions."""
    return {replace(version, row=None) for versions in fold.active.values() for version in versions}


def believed(fold: Fold, day: float, predicate: str = "lives_in") -> list[str]:
    """Return the objects that hold on *day*."""
    return sorted(v.object for v in fold.believed(NOON + day * DAY) if v.predicate == predicate)


def entries(decisions: Sequence[Decision]) -> list[Entry]:
    """Return the skeletons of *decisions* as the ledger keeps them, recorded one microsecond apart."""
    written = [decision for decision in decisions if decision.kind != "review"]
    return [
        Entry(
            id=decision.id,
            kind="noop" if decision.kind == "review" else decision.kind,
            belief=None,
            replaces=decision.replaces,
            valid=decision.valid,
            recorded=NOON + number * timedelta(microseconds=1),
            confidence=decision.claim.confidence,
        )
        for number, decision in enumerate(written)
    ]


Outline = tuple[uuid.UUID, Span, float]


def rebuilt(decisions: Sequence[Decision]) -> set[Outline]:
    """Return the open beliefs to which the ledger of *decisions* folds, each in outline."""
    return {(b.fact, b.valid, b.confidence) for b in ledger.fold(entries(decisions)) if b.closed is None}


def outlines(versions: Iterable[Version]) -> set[Outline]:
    """Return the fact, the valid time and the confidence of each version."""
    return {(v.fact, v.valid, v.confidence) for v in versions}


PREDICATES = ["lives_in", "likes", "lives_in", "likes", *(one.name for one in REGISTERED.registered)]
"""The predicates to draw from; homes and likes are drawn more often than the others."""

_DAYS = st.integers(0, 6)
_MODES: st.SearchStrategy[StatedMode] = st.sampled_from(["assert", "assert", "assert", "correct", "end", "forget"])


@st.composite
def histories(draw: st.DrawFn, modes: st.SearchStrategy[StatedMode] = _MODES) -> list[Claim]:
    """Return claims of one scope in the order they arrive, whose valid times are in any order."""
    claims: list[Claim] = []
    position, ordinal = 1, 0
    count = draw(st.integers(1, 14))
    for _ in range(count):
        step = draw(st.sampled_from([0, 1, 1, 9]))
        position, ordinal = position + step, 0 if step else ordinal + 1
        mode = draw(modes)
        predicate = draw(st.sampled_from(PREDICATES if mode == "assert" else [*PREDICATES, "*", "*"]))
        objects = ["Oslo", "oslo ", "Lisbon", "Rome"] if mode in ("assert", "correct") else ["", "Oslo", "Lisbon"]
        day = draw(_DAYS)
        ends: st.SearchStrategy[int | None] = st.none() | st.integers(day + 1, 8)
        until = draw(ends) if mode == "assert" else None
        claims.append(
            claim(
                draw(st.sampled_from(objects)),
                predicate=predicate,
                mode=mode,
                day=day,
                until=until,
                position=position,
                ordinal=ordinal,
                session=draw(st.sampled_from(["s1", "s1", "s2"])),
                confidence=draw(st.sampled_from([0.5, 0.95])),
                form=draw(st.sampled_from(FORMS)),
            )
        )
    return claims


@st.composite
def windows(draw: st.DrawFn, claims: Sequence[Claim]) -> list[list[Claim]]:
    """Return one way to cut *claims* into windows; the claims of one episode stay together."""
    windows: list[list[Claim]] = [[]]
    for before, each in zip([claims[0], *claims], claims, strict=False):
        if before.source.position != each.source.position and draw(st.booleans()):
            windows.append([])
        windows[-1].append(each)
    return windows


@st.composite
def spans(draw: st.DrawFn) -> Span:
    """Return a span that begins and ends on one of a few days, or never."""
    start, end = sorted(draw(st.lists(st.integers(0, 9), min_size=2, max_size=2, unique=True)))
    return Span(NOON + start * DAY, NOON + end * DAY) if draw(st.integers(0, 3)) else Span(NOON + start * DAY)
