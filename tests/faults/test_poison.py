"""Episodes that break every extractor become dead letters, and their neighbours are learned."""

import pytest

from slowwave.core.windows import STRIKES
from tests.faults.rig.corpus import NOTHING, Corpus, corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import until
from tests.faults.rig.saboteur import AWAY, HANGS, HOLDS, KILLS, LEAVES, RAISES
from tests.faults.rig.stage import SetUp, playing
from tests.faults.rig.verdict import Outcome, undisturbed

KILLER, LEAVER, UNREADABLE = 13, 26, 31
CLEAN = corpus(episodes=40, scopes=2, marked=dict.fromkeys((KILLER, LEAVER, UNREADABLE), NOTHING))


@pytest.fixture(scope="module")
def clean(ground: Ground) -> Outcome:
    """The undisturbed result of the clean corpus."""
    return undisturbed(ground, CLEAN)


@pytest.mark.accept
def test_an_unreadable_episode_becomes_a_dead_letter_and_the_rest_is_learned(set_up: SetUp, clean: Outcome) -> None:
    told = marked({KILLER: NOTHING, LEAVER: NOTHING, UNREADABLE: f"This {RAISES}"})
    with set_up(pace=0, corpus=told, expected=clean) as stage, playing(stage):
        stage.prove(buried=(f"user-{UNREADABLE}",))

        reasons = stage.rows("SELECT category, reason FROM dead_letters WHERE category <> 'conflict'")
        assert reasons == [("incorrect", "this cannot be read")]


@pytest.mark.accept
def test_only_the_episodes_that_kill_their_worker_are_condemned(set_up: SetUp, clean: Outcome) -> None:
    told = marked({KILLER: f"This {KILLS}", LEAVER: f"This {LEAVES}", UNREADABLE: NOTHING})
    with (
        set_up(pace=0, lease_seconds=0.8, worker_processes=4, corpus=told, expected=clean) as stage,
        playing(stage),
    ):
        stage.prove(buried=(f"user-{KILLER}", f"user-{LEAVER}"))

        letters = stage.rows("SELECT category, reason FROM dead_letters WHERE category <> 'conflict'")
        assert [category for category, _ in letters] == ["vanished", "vanished"]
        assert all("vanished" in reason for _, reason in letters)
        assert stage.count("runs WHERE outcome = 'vanished'") >= 2 * (STRIKES + 1)


@pytest.mark.accept
def test_an_unavailable_model_counts_no_attempt(set_up: SetUp) -> None:
    with set_up(pace=0) as stage:
        stage.sabotage.arm(AWAY)
        with playing(stage):
            until(lambda: stage.count("runs WHERE outcome = 'unavailable'") >= 6, "several runs found it away")
            assert stage.count("deltas") == 0
            windows = stage.rows("SELECT DISTINCT intent, lo, hi FROM runs WHERE outcome = 'unavailable'")
            assert len(windows) == len({intent for intent, _, _ in windows}), "a window was changed"

            (stage.sabotage.folder / AWAY).unlink()
            stage.prove()
            assert stage.count("runs WHERE outcome IN ('vanished', 'narrowed', 'dead')") == 0


@pytest.mark.accept
def test_a_blocking_extractor_is_killed_and_condemns_no_episode(set_up: SetUp, clean: Outcome) -> None:
    with set_up(pace=0, lease_seconds=1, soft_limit_seconds=1, corpus=CLEAN, expected=clean) as stage:
        stage.sabotage.arm(HOLDS)
        with playing(stage):
            stage.until(lambda: stage.count("runs WHERE outcome = 'vanished'"), "a run vanished")
            assert "Timeout (0:00:02" in stage.worker.log.read_text()

            (stage.sabotage.folder / HOLDS).unlink()
            stage.prove()


@pytest.mark.soak
def test_a_hanging_model_condemns_no_episode(set_up: SetUp) -> None:
    with set_up(pace=0, lease_seconds=0.8, soft_limit_seconds=1, worker_processes=3) as stage:
        stage.sabotage.arm(HANGS)
        with playing(stage):
            stage.until(lambda: stage.count(_CUT_SHORT) >= 12, "a dozen runs were cut short")

            (stage.sabotage.folder / HANGS).unlink()
            stage.prove()


_CUT_SHORT = "runs WHERE job = 'consolidate' AND outcome IS NOT NULL AND outcome <> 'ok'"


def marked(words: dict[int, str]) -> Corpus:
    """Return the clean corpus with the words of some episodes replaced."""
    return corpus(episodes=40, scopes=2, marked=words)
