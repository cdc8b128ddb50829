"""A model's answer is written down before it is used: the first one counts, and a crash does not pay again."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.scope import Scope
from slowwave.errors import Unavailable
from slowwave.jobs.consolidate import Consolidate
from slowwave.memory import work
from slowwave.ports import Extractor
from slowwave.wiring.packs import predicates_of
from tests.contract.harness import PACK, Harness


@dataclass
class Model:
    """An extractor that costs money: it counts what it was asked, and never answers the same twice."""

    rules: Extractor
    asked: list[int] = field(default_factory=list)
    away: bool = False
    pack: str = PACK
    version: int = 1
    journalled: bool = True

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        self.asked.append(len(episodes))
        if self.away:
            raise Unavailable("the model does not answer")
        return self.rules.propose(episodes)[: -len(self.asked)]

    def sound(self) -> bool:
        return True


@pytest.fixture
def model(harness: Harness) -> Model:
    model = Model(next(pack for pack in harness.parts.packs if pack.pack == PACK))
    harness.parts.jobs[CONSOLIDATE] = Consolidate(
        {PACK: model}, harness.parts.embedder, predicates_of(harness.parts.packs)
    )
    return model


def test_a_crash_after_the_journal_never_asks_the_model_again(harness: Harness, scope: Scope, model: Model) -> None:
    harness.told(scope, 5)
    crashed = harness.claimed("ann")
    harness.parts.jobs[CONSOLIDATE].think(crashed, harness.parts.runs)  # and then it is gone
    harness.later(harness.lease + 1)

    assert harness.settle(harness.claimed("bob")) == {"add": 4}
    assert model.asked == [5]


def test_of_two_answers_the_first_one_counts_for_both(harness: Harness, scope: Scope, model: Model) -> None:
    harness.told(scope, 5)
    run, jobs, runs = harness.claimed("ann"), harness.parts.jobs, harness.parts.runs
    first = model.rules.propose(runs.episodes(run))[:3]
    assert runs.journalled(run, 1) is None

    assert runs.journal(run, 1, first) == first
    assert runs.journal(run, 1, []) == first
    assert [decision.claim for decision in jobs[CONSOLIDATE].think(run, runs).decisions] == first
    assert runs.journalled(run, 2) is None  # another version of the pack asks anew
    assert model.asked == []


def test_an_empty_answer_is_an_answer(harness: Harness, scope: Scope, model: Model) -> None:
    harness.told(scope, 1)
    run = harness.claimed("ann")

    for _ in range(2):
        assert list(harness.parts.jobs[CONSOLIDATE].think(run, harness.parts.runs).decisions) == []
    assert model.asked == [1]


def test_a_model_that_is_away_spends_no_attempt_and_keeps_the_window(
    harness: Harness, scope: Scope, model: Model
) -> None:
    harness.told(scope, 5)
    model.away = True
    for _ in range(10):
        report = work.run_next(harness.parts, owner="ann", only=[CONSOLIDATE])
        assert report is not None
        assert (report.outcome, report.lo, report.hi) == ("unavailable", 1, 5)
        harness.later(1.1)

    model.away = False
    report = work.run_next(harness.parts, owner="ann", only=[CONSOLIDATE])

    assert report is not None
    assert (report.outcome, report.lo, report.hi) == ("ok", 1, 5)
    assert harness.rows("SELECT count(*) FROM dead_letters") == [(0,)]
    assert harness.rows("SELECT count(*) FROM runs WHERE outcome = 'vanished'") == [(0,)]
