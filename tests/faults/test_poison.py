"""Episodes that break every extractor become dead letters, and their neighbours are learned."""

from pathlib import Path

import pytest

from slowwave.core.windows import STRIKES
from tests.faults.rig.corpus import NOTHING, Corpus, corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import until
from tests.faults.rig.saboteur import AWAY, HANGS, HOLDS, KILLS, LEAVES, RAISES
from tests.faults.rig.stage import playing, set_up
from tests.faults.rig.verdict import Outcome, undisturbed

KILLER, LEAVER, UNREADABLE = 13, 26, 31
CLEAN = corpus(episodes=40, scopes=2, marked=dict.fromkeys((KILLER, LEAVER, UNREADABLE), NOTHING))


@pytest.mark.accept
def test_an_unreadable_episode_becomes_a_dead_letter_and_the_rest_is_learned(
    ground: Ground, database: str, tmp_path: Path
) -> None:
    told = marked({KILLER: NOTHING, LEAVER: NOTHING, UNREADABLE: f"This {RAISES}"})
    with set_up(ground, database, tmp_path, pace=0) as stage, playing(stage, told):
        stage.prove(told, undisturbed(ground, CLEAN), buried=(f"user-{UNREADABLE}",))

        reasons = stage.rows("SELECT category, reason FROM dead_letters WHERE category <> 'conflict'")
        assert reasons == [("incorrect", "this cannot be read")]


@pytest.mark.accept
def test_only_the_episodes_that_kill_their_worker_are_condemned(ground: Ground, database: str, tmp_path: Path) -> None:
    told = marked({KILLER: f"This {KILLS}", LEAVER: f"This {LEAVES}", UNREADABLE: NOTHING})
    with (
        set_up(ground, database, tmp_path, pace=0, lease_seconds=0.8, worker_processes=4) as stage,
        playing(stage, told),
    ):
        stage.prove(told, undisturbed(ground, CLEAN), buried=(f"user-{KILLER}", f"user-{LEAVER}"))

        letters = stage.rows("SELECT category, reason FROM dead_letters WHERE category <> 'conflict'")
        assert [category for category, _ in letters] == ["vanished", "vanished"]
        assert all("vanished" in reason for _, reason in letters)
        assert stage.count("runs WHERE outcome = 'vanished'") >= 2 * (STRIKES + 1)


@pytest.mark.accept
def test_an_unavailable_model_counts_no_attempt(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with set_up(ground, database, tmp_path, pace=0) as stage:
        stage.sabotage.arm(AWAY)
        with playing(stage, told):
            until(lambda: stage.count("runs WHERE outcome = 'unavailable'") >= 6, "several runs found it away")
            assert stage.count("deltas") == 0
            windows = stage.rows("SELECT DISTINCT intent, lo, hi FROM runs WHERE outcome = 'unavailable'")
            assert len(windows) == len({intent for intent, _, _ in windows}), "a window was changed"

            (stage.sabotage.folder / AWAY).unlink()
            stage.prove(told, expected)
            assert stage.count("runs WHERE outcome IN ('vanished', 'narrowed', 'dead')") == 0


@pytest.mark.accept
def test_a_blocking_extractor_is_killed_and_condemns_no_episode(ground: Ground, database: str, tmp_path: Path) -> None:
    with set_up(ground, database, tmp_path, pace=0, lease_seconds=1, soft_limit_seconds=1) as stage:
        stage.sabotage.arm(HOLDS)
        with playing(stage, CLEAN):
            until(lambda: stage.count("runs WHERE outcome = 'vanished'"), "a run vanished", otherwise=stage.worker.said)
            assert "Timeout (0:00:02" in stage.worker.log.read_text()

            (stage.sabotage.folder / HOLDS).unlink()
            stage.prove(CLEAN, undisturbed(ground, CLEAN))


@pytest.mark.soak
def test_a_hanging_model_condemns_no_episode(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with set_up(
        ground, database, tmp_path, pace=0, lease_seconds=0.8, soft_limit_seconds=1, worker_processes=3
    ) as stage:
        stage.sabotage.arm(HANGS)
        with playing(stage, told):
            until(lambda: stage.count(_CUT_SHORT) >= 12, "a dozen runs were cut short", otherwise=stage.worker.said)

            (stage.sabotage.folder / HANGS).unlink()
            stage.prove(told, expected)


_CUT_SHORT = "runs WHERE job = 'consolidate' AND outcome IS NOT NULL AND outcome <> 'ok'"


def marked(words: dict[int, str]) -> Corpus:
    """Return the clean corpus with the words of some episodes replaced."""
    return corpus(episodes=40, scopes=2, marked=words)
