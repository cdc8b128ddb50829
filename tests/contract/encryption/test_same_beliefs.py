"""Random lives leave the same beliefs and answers with and without encryption, even if the data key is replaced."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slowwave.domain.episode import Episode
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.store.beliefs.digest import digest
from slowwave.store.dead_letters import letters
from tests.contract.encryption.conftest import Opened
from tests.contract.encryption.test_encryption import encryption
from tests.contract.erasure.planting import MONDAY
from tests.contract.news.test_ordinary_lives import arriving

EXAMPLES = (settings.default or settings()).max_examples // 12
"""The lives of this run: eight, and more under `make hunt`."""
_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Step:
    """Some sentences of a life, by their places in time, and what happens after their consolidation.

    The fact of this number is undone or forgotten; an encrypted memory gets a new data key or encrypts with it again.
    """

    said: Sequence[tuple[int, str]]
    undone: int | None
    forgotten: int | None
    rekeyed: str | None


@st.composite
def lives(draw: st.DrawFn) -> list[Step]:
    """Return the steps of one life, or of two lives mixed, whose sentences arrive in any order."""
    said, order = draw(arriving())
    told = [(place, said[place]) for place in order]
    rarely = st.sampled_from([None, None, None, 0, 1, 4])
    steps = []
    while told:
        size = draw(st.integers(1, 3))
        now, told = told[:size], told[size:]
        rekeyed = draw(st.sampled_from([None, None, "rotate", "encrypt_stored"]))
        steps.append(Step(now, draw(rarely), draw(rarely), rekeyed))
    return steps


def lived(memory: Memory, tenant: str, steps: Sequence[Step], *, encrypts: bool) -> MemoryScope:
    """Let a life happen in a tenant of its own; return the scope."""
    scope = memory.scope(user="ann", agent="helper", tenant=tenant)
    for step in steps:
        scope.push_many([
            Episode(content=text, key=f"turn {place}", session="s", occurred_at=MONDAY + timedelta(days=place))
            for place, text in step.said
        ])  # fmt: skip
        scope.consolidate()
        facts = sorted((one.text, one.id) for one in scope.facts())
        if step.undone is not None and facts:
            scope.undo(facts[step.undone % len(facts)][1])
        if step.rekeyed is not None and encrypts:
            getattr(encryption(memory), step.rekeyed)(tenant=tenant)
        if step.forgotten is not None and (facts := sorted((one.text, one.id) for one in scope.facts())):
            scope.forget(fact=facts[step.forgotten % len(facts)][1], rewrite=False)
        memory.drain()
    return scope


def told(memory: Memory, scope: MemoryScope) -> list[object]:
    """Return the digest, the facts now and on each day, the answers, the dead letters and the undos."""
    with parts_of(memory).database.tenant(scope.scope.tenant) as connection:
        beliefs = digest(connection)
        buried = sorted((one.category, str(one.item), one.reason, one.seen) for one in letters(connection, state=None))
    days = [None, *(MONDAY + timedelta(days=day, hours=1) for day in (0, 2))]
    return [
        beliefs,
        [sorted(map(repr, ((one.id, one.text, one.object) for one in scope.facts(as_of=day)))) for day in days],
        [[one.text for one in scope.recall(question)] for question in ("where does Ann live?", "what has changed?")],
        buried,
        [str(one.what) for one in scope.undos()],
    ]


@pytest.fixture
def both(opened: Opened, master: str, other_url: str) -> tuple[Memory, Memory]:
    """A memory that encrypts nothing, and one that encrypts."""
    return opened(None), opened(master, url=other_url)


@pytest.mark.accept
@pytest.mark.timeout(3600)
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=lives())
def test_random_lives_leave_the_same_beliefs_and_answers_with_and_without_encryption(
    steps: list[Step], both: tuple[Memory, Memory]
) -> None:
    tenant = f"tenant-{next(_NUMBERS)}"
    plain, encrypted = both

    without = lived(plain, tenant, steps, encrypts=False)
    scope = lived(encrypted, tenant, steps, encrypts=True)

    assert told(encrypted, scope) == told(plain, without)
    encryption(encrypted).encrypt_stored(tenant=tenant)
    assert told(encrypted, scope) == told(plain, without)
