"""After an undo or a replay, beliefs are as if the claims had never been made."""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim
from tests.unit.core.histories import REGISTERED, claim, histories, outlines, rebuilt
from tests.unit.core.news.happenings import KEPT, MATTERS, happenings
from tests.unit.late_arrivals.ledgers import NEWSY, Ledger, beliefs, endings, remembered


@dataclass(frozen=True)
class Undone:
    """The claims of each run, and the runs to undo, each with the number of runs before the undo."""

    runs: Sequence[Sequence[Claim]]
    undos: Sequence[tuple[int, int]]
    predicates: Predicates = REGISTERED


@st.composite
def undone(draw: st.DrawFn, times: int = 1, *, newsy: bool = False) -> Undone:
    """Return a history in runs, some of which are undone, at once or after later runs."""
    claims = draw(happenings(largest=10, effects=KEPT) if newsy else histories(largest=12))
    runs: list[list[Claim]] = []
    joined = draw(st.lists(st.booleans(), min_size=len(claims), max_size=len(claims)))
    for one, join in zip(claims, joined, strict=True):
        if runs and join:
            runs[-1].append(one)
        else:
            runs.append([one])
    which = draw(st.lists(st.integers(0, len(runs) - 1), min_size=1, max_size=times, unique=True))
    undos = [(run, draw(st.integers(run + 1, len(runs)))) for run in which]
    return Undone(runs, undos, MATTERS if newsy else REGISTERED)


def told(history: Undone) -> Ledger:
    """Return the ledger after the runs and their undos."""
    ledger, numbers = Ledger(predicates=history.predicates), dict[int, int]()
    for number, claims in enumerate(history.runs):
        ledger.tell(claims)
        numbers[number] = ledger.run
        for run, after in history.undos:
            if after == number + 1:
                ledger.undo([numbers[run]])
    return ledger


def never(history: Undone) -> Ledger:
    """Return the ledger of the same history without the claims of these runs."""
    out = {run for run, _ in history.undos}
    ledger = Ledger(predicates=history.predicates)
    for number, claims in enumerate(history.runs):
        ledger.tell([] if number in out else claims)
    return ledger


@NEWSY
@given(st.data())
def test_undone_runs_leave_the_beliefs_of_a_history_without_them(newsy: bool, data: st.DataObject) -> None:
    history = data.draw(undone(times=3, newsy=newsy))
    ledger, without = told(history), never(history)

    assert beliefs(ledger) == beliefs(without)
    assert endings(ledger) == endings(without)


@NEWSY
@given(st.data())
def test_undone_runs_leave_no_state_for_later_claims_and_a_sound_ledger(newsy: bool, data: st.DataObject) -> None:
    history = data.draw(undone(times=2, newsy=newsy))
    ledger = told(history)

    assert remembered(ledger) == remembered(never(history))
    assert rebuilt([row.decision for row in ledger.rows]) == outlines(ledger.held())


@given(undone(times=2))
def test_taking_back_an_undo_restores_the_earlier_beliefs(history: Undone) -> None:
    plain = Ledger()
    numbers = []
    for claims in history.runs:
        plain.tell(claims)
        numbers.append(plain.run)
    before, known = beliefs(plain), remembered(plain)
    out = [numbers[run] for run, _ in history.undos]

    plain.undo(out)
    plain.redo(out)

    assert beliefs(plain) == before
    assert remembered(plain) == known


def test_a_noop_whose_fact_is_undone_becomes_an_add() -> None:
    ledger = Ledger()
    ledger.tell([claim("tea", predicate="likes", position=1)])
    ledger.tell([claim("tea", predicate="likes", position=2)])
    assert [row.decision.kind for row in ledger.rows] == ["add", "noop"]

    ledger.undo([1])

    (held,) = ledger.held()
    assert held.position == 2
    assert [row.decision.kind for row in ledger.rows if row.decision.again] == ["update"]


@st.composite
def heard(draw: st.DrawFn, times: int) -> Sequence[Sequence[Claim]]:
    """Return the claims of several versions of a pack about one history: each version misses some."""
    claims = draw(histories(largest=12))
    missed = st.lists(st.booleans(), min_size=len(claims), max_size=len(claims))
    return [[one for one, miss in zip(claims, draw(missed), strict=True) if not miss] for _ in range(times)]


@given(heard(times=3))
def test_replays_leave_the_beliefs_of_the_last_version_alone(
    versions: Sequence[Sequence[Claim]],
) -> None:
    ledger, always = Ledger(), Ledger()
    for number, claims in enumerate(versions):
        ledger.replay(claims) if number else ledger.tell(claims)
    always.tell(versions[-1])

    assert beliefs(ledger) == beliefs(always)
    assert remembered(ledger)[:-1] == remembered(always)[:-1]  # reviews have other ids


@given(heard(times=2))
def test_a_repeated_replay_writes_nothing(versions: Sequence[Sequence[Claim]]) -> None:
    ledger = Ledger()
    ledger.tell(versions[0])
    ledger.replay(versions[1])
    rows = len(ledger.rows)

    done = ledger.replay(versions[1])

    assert (done.decisions, done.settled, len(ledger.rows)) == ((), (), rows)
