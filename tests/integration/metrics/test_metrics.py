"""The metrics of an installation: from Postgres alone, the same from every process, and with nobody's name."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.memory import Memory, due_work
from slowwave.memory.metrics.exposition import Exposition
from slowwave.memory.metrics.families import names
from tests.integration.command import ALICE, Run, run

__all__ = ["run"]
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]
LABELS = {"job", "state", "quantile", "outcome", "kind", "provider", "found", "category", "role", "table", "le"}


def samples(text: bytes) -> Samples:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


@pytest.fixture
def told(parts: wiring.Parts) -> Samples:
    """The metrics after Alice told two things, had them read, and asked."""
    memory = Memory(parts)
    parts.push(ALICE, [Episode(content=said, key=said, session="s") for said in ("I moved to Oslo", "I like tea")])
    memory.drain()
    due_work.fire(parts, ALICE.id)
    memory.drain()
    parts.tally.timed = True
    memory.scope(ALICE.user, agent=ALICE.agent, channel=ALICE.channel).recall("Where does Alice live?")
    parts.tally.flush()
    parts.push(ALICE, [Episode(content="I moved to Rome", key="later", session="s")])
    return samples(Exposition(parts).text())


def test_the_metrics_report_recent_work(told: Samples) -> None:
    assert told["slowwave_up", ()] == 1
    assert told["slowwave_recent_episodes", ()] == 2
    assert told["slowwave_recent_deltas", (("kind", "add"),)] == 2
    assert told["slowwave_recent_runs", (("job", "consolidate"), ("outcome", "ok"))] == 1
    assert told["slowwave_recent_run_seconds", (("job", "consolidate"), ("outcome", "ok"))] > 0
    assert told["slowwave_consolidation_lag_seconds", (("quantile", "1"),)] > 0
    assert told["slowwave_intents", (("job", "prepare"), ("state", "due"))] == 1
    assert told["slowwave_intents", (("job", "prepare"), ("state", "late"))] == 0
    assert told["slowwave_lag_seconds", ()] > 0
    assert told["slowwave_recalls_total", (("found", "something"),)] == 1
    assert told["slowwave_recall_seconds_count", ()] == 1
    assert told["slowwave_recall_seconds_bucket", (("le", "+Inf"),)] == 1
    assert told["slowwave_partition_room_seconds", (("table", "episodes"),)] > 86_400
    assert told["slowwave_database_bytes", ()] > 0


def test_each_sample_has_known_labels_without_user_names(told: Samples) -> None:
    assert {name for name, _ in told} <= names()
    assert {label for _, labels in told for label, _ in labels} <= LABELS
    assert not {value for _, labels in told for _, value in labels} & {ALICE.user, ALICE.agent, "s", str(ALICE.id)}


def test_the_metrics_report_an_unavailable_database() -> None:
    away = wiring.connect(wiring.Settings.load(url="postgresql://slowwave@127.0.0.1:1/slowwave"))

    assert samples(Exposition(away).text()) == {("slowwave_up", ()): 0}
    away.close()


def test_frequent_scrapes_get_cached_values(parts: wiring.Parts) -> None:
    exposition = Exposition(parts)
    first = exposition.text()
    parts.push(ALICE, [Episode(content="I moved to Oslo", key="k")])

    assert exposition.text() == first
    assert samples(Exposition(parts).text())["slowwave_lag_seconds", ()] > 0


def test_the_command_prints_them(run: Run) -> None:
    said = run("metrics")

    assert said.status == 0
    assert samples(said.out.encode())["slowwave_up", ()] == 1
