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
from tests.contract.desk import PACK, Desk


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
def model(desk: Desk) -> Model:
    model = Model(next(pack for pack in desk.parts.packs if pack.pack == PACK))
    desk.parts.jobs[CONSOLIDATE] = Consolidate({PACK: model}, desk.parts.embedder)
    return model


def test_a_crash_after_the_journal_never_asks_the_model_again(desk: Desk, scope: Scope, model: Model) -> None:
    desk.told(scope, 5)
    crashed = desk.claimed("ann")
    desk.parts.jobs[CONSOLIDATE].think(crashed, desk.parts.runs)  # and then it is gone
    desk.later(desk.lease + 1)

    assert desk.settle(desk.claimed("bob")) == {"add": 4}
    assert model.asked == [5]


def test_of_two_answers_the_first_one_counts_for_both(desk: Desk, scope: Scope, model: Model) -> None:
    desk.told(scope, 5)
    run, jobs, runs = desk.claimed("ann"), desk.parts.jobs, desk.parts.runs
    first = model.rules.propose(runs.episodes(run))[:3]
    assert runs.journalled(run, 1) is None

    assert runs.journal(run, 1, first) == first
    assert runs.journal(run, 1, []) == first
    assert [decision.claim for decision in jobs[CONSOLIDATE].think(run, runs).decisions] == first
    assert runs.journalled(run, 2) is None  # another version of the pack asks anew
    assert model.asked == []


def test_an_empty_answer_is_an_answer(desk: Desk, scope: Scope, model: Model) -> None:
    desk.told(scope, 1)
    run = desk.claimed("ann")

    for _ in range(2):
        assert list(desk.parts.jobs[CONSOLIDATE].think(run, desk.parts.runs).decisions) == []
    assert model.asked == [1]


def test_a_model_that_is_away_spends_no_attempt_and_keeps_the_window(desk: Desk, scope: Scope, model: Model) -> None:
    desk.told(scope, 5)
    model.away = True
    for _ in range(10):
        report = work.run_next(desk.parts, owner="ann", only=[CONSOLIDATE])
        assert report is not None
        assert (report.outcome, report.lo, report.hi) == ("unavailable", 1, 5)
        desk.later(1.1)

    model.away = False
    report = work.run_next(desk.parts, owner="ann", only=[CONSOLIDATE])

    assert report is not None
    assert (report.outcome, report.lo, report.hi) == ("ok", 1, 5)
    assert desk.rows("SELECT count(*) FROM dead_letters") == [(0,)]
    assert desk.rows("SELECT count(*) FROM runs WHERE outcome = 'vanished'") == [(0,)]
