"""A replay leaves the beliefs of a history in which the pack had always said what it says now."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from slowwave.domain.claim import Claim
from tests.unit.core.histories import histories
from tests.unit.late_arrivals.ledgers import Ledger, beliefs, remembered


@st.composite
def heard(draw: st.DrawFn, times: int) -> Sequence[Sequence[Claim]]:
    """Return what versions of a pack hear of one history: each misses some of it."""
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
