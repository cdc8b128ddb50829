"""The metrics of an installation are the same in every process; the number of rows that a scrape reads is limited."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.memory.metrics import Exposition, names
from slowwave.store.operator import tally
from slowwave.store.statements import sql
from tests.databases import copied, opened
from tests.integration.command import ALICE, Run, of_alice
from tests.integration.steps import work_off
from tests.plans import filled, touched
from tests.scripts import script

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
    """The metrics after Alice pushed two texts, consolidated them, and recalled."""
    memory = work_off(
        parts, ALICE, [Episode(content=text, key=text, session="s") for text in ("I moved to Oslo", "I like tea")]
    )
    parts.tally.timed = True
    of_alice(memory).recall("Where does Alice live?")
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


CROWD = 3_000
MOST = 50


@pytest.fixture(scope="module", params=[(), ("packs",)], ids=["packs not counted", "packs counted"])
def crowded(
    request: pytest.FixtureRequest, postgres_server: PostgresServer, template: str, heavy_parts: dict[str, object]
) -> Iterator[str]:
    """The address of a database with three thousand intents that are due, as many runs, calls and hours of tallies.

    The planner has counted the packs, too, or not yet.
    """
    with copied(postgres_server, template, "scraped") as name, opened(postgres_server, name, heavy_parts) as parts:
        fill(postgres_server.url("slowwave_owner", name), request.param)
        assert parts.url is not None
        yield parts.url


def fill(owner_url: str, also: tuple[str, ...]) -> None:
    filled(
        owner_url,
        script(__file__, "metrics.sql", crowd=CROWD, hit=tally.RECALL_HIT),
        *("intents", "runs", "model_calls", "model_requests", "tallies", *also),
    )


@pytest.mark.parametrize(
    ("statement", "table", "index", "asked"),
    [
        ("work", "intents", "intents_due", {}),
        ("ended", "runs", "runs_pkey", {}),
        ("lag", "runs", "runs_pkey", {}),
        ("model_calls", "model_calls", "model_calls_day", {"tenants": ["default"]}),
        ("requests", "model_requests", "model_requests_pending", {"tenants": ["default"]}),
        ("tallies", "tallies", "tallies_pkey", {"names": [tally.RECALL_HIT]}),
    ],
)
def test_a_scrape_reads_a_bounded_number_of_rows(
    crowded: str, statement: str, table: str, index: str, asked: dict[str, Any]
) -> None:
    role = "slowwave_app" if statement == "tallies" else "slowwave_dispatch"
    if statement == "tallies":
        with psycopg.connect(crowded) as connection:
            yesterday = connection.execute("SELECT slowwave_now() - interval '1 day'").fetchone()
        assert yesterday is not None
        asked = {**asked, "midnight": yesterday[0]}
    found = touched(crowded, sql(f"metrics/{statement}"), role=role, most=MOST, **asked)

    assert index in {used for _, used, _ in found}, found
    assert sum(rows for name, _, rows in found if name == table) <= MOST, found
