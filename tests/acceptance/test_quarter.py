"""A quarter of days and nights with the real jobs on a virtual clock: retention, decay, promotion and archive."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.dead_letter import Refused
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.inference.static_embedder import StaticEmbedder
from slowwave.memory import Memory
from slowwave.memory.subscriptions import Webhooks
from slowwave.settings import Settings
from slowwave.wiring import Parts
from tests.contract.model_calls.scripted_models import TALK, Talk
from tests.contract.summaries.harness import Model, anything, small, telling
from tests.endpoint import serving
from tests.integration.subscriptions.receiver import receiving
from tests.ledger import rebuilt
from tests.quarter import AGENT, START, USERS, Quarter

__all__ = ["small"]
pytestmark = pytest.mark.accept
LIKED = ("likes tea", "likes figs", "likes chess", "likes rye")
USED = {
    "dead_letters", "firings", "model_budgets", "model_calls", "model_chunks", "model_payloads", "model_replies",
    "model_requests", "model_summaries", "model_windows", "processes", "quotas", "runs", "sightings", "tallies",
    "tier_moves", "webhooks",
}  # fmt: skip
"""Tables with rows that grow with use; the simulation fills each of them."""


@pytest.fixture
def lived(parts: Parts, owner_url: str, postgres_server: PostgresServer, database_name: str) -> Iterator[Quarter]:
    memory = Memory(parts)
    yield Quarter(memory, parts, owner_url, postgres_server.url("postgres", database_name))
    memory.close()


@pytest.fixture
def equipped(
    lived: Quarter, settings: Settings, heavy_parts: dict[str, object], small: Model, tmp_path: Path
) -> Iterator[Callable[[], None]]:
    """Give the quarter a model, a pack that needs it, a webhook and report pages; return a move to another embedder."""
    small.provider.replies = anything
    own = {"reports": tmp_path / "reports", "webhooks": "loopback"}
    other = {"embedder": "endpoint", "embedding_model": "small", "embedding_dimensions": 192}
    static = StaticEmbedder()
    with (
        serving(lambda texts: static.embed(texts)[:, 64:].tolist()) as endpoint,
        receiving() as receiver,
        telling(settings, heavy_parts, small, **own) as here,
        telling(settings, {"packs": heavy_parts["packs"]}, small, **own, **other, embedding_url=endpoint.url) as there,
    ):
        for parts in (here, there):
            vars(parts).update(models={TALK: Talk(model="openai:small?temperature=0")})
            vars(parts).pop("jobs", None)
            wiring.register(parts)
        lived.at(START)
        lived.memory, lived.parts = Memory(here), here
        Webhooks(here).create(receiver.url, tenant="default")

        def move() -> None:
            lived.memory, lived.parts = Memory(there), there
            assert lived.memory.reembed() > 0
            lived.night()
            assert receiver.taken

        yield move


def in_order(lived: Quarter) -> None:
    """Assert that all runs succeeded, that the check finds nothing, and that the ledger folds to the facts."""
    assert set(lived.outcomes) == {"ok"}
    assert list(wiring.checks(lived.parts.database).findings(folds=None)) == []
    for user in USERS:
        folded, believed = rebuilt(lived.parts, lived.memory.scope(user, agent="concierge").scope)
        assert folded == believed


def test_a_simulated_week_leaves_a_consistent_database(lived: Quarter) -> None:
    lived.live(days=7)

    in_order(lived)
    assert {"prepare", "consolidate", "summarise", "detect_patterns", "promote", "sweep", "partitions", "check"} <= set(
        lived.jobs
    )
    assert lived.value("SELECT count(*) FROM facts WHERE upper_inf(recorded)") > 20


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_ninety_days_of_use_leave_a_consistent_database(lived: Quarter, capsys: pytest.CaptureFixture[str]) -> None:
    lived.live(days=90)

    with capsys.disabled():
        print("", *lived.story, sep="\n")
    in_order(lived)
    assert lived.value("SELECT count(*) FROM promotions WHERE undone IS NULL") >= len(USERS)
    assert lived.value("SELECT count(*) FROM deltas WHERE rule LIKE 'decay/%'") > 0
    assert lived.value("SELECT count(*) FROM conversations WHERE archived IS NOT NULL") >= len(USERS)
    assert lived.value("SELECT count(*) FROM strategies WHERE fact IS NOT NULL") >= len(USERS)
    assert lived.value("SELECT count(*) FROM facts WHERE object = 'walnuts' AND upper_inf(recorded)") == len(USERS)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_two_years_without_news_leave_every_table_as_large_as_after_fourteen_months(
    lived: Quarter, equipped: Callable[[], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lived.live(days=10)
    for user in USERS:
        lived.memory.scope(user, agent=AGENT).push_many(lived.say(START + timedelta(days=10), "talk", *LIKED))
    equipped()
    lived.parts.quotas.set("default", "recalls-a-minute", 600, applies="each user")
    lived.memory.scope("stranger", agent=AGENT).recall("Who am I?")
    lived.parts.inbox.bury([Refused({"tenant": "default", "content": "Hm"}, "malformed", "no role")], scope="default")
    dropped = lived.memory.operator().dead_letters(reviews=False)
    lived.memory.operator().drop([letter.letter for letter in dropped])
    used = lived.sizes()
    assert {name for name in USED if not used[name]} == set()
    lived.rest(after=10, days=420)
    before, pages = lived.sizes(), len([*(tmp_path / "reports").rglob("*.*")])

    lived.rest(after=430, days=300)

    sizes = lived.sizes()
    assert (sizes["dead_letters"], sizes["quotas"]) == (used["dead_letters"] - len(dropped), 1)
    assert 0 < len([*(tmp_path / "reports").rglob("*.*")]) <= pages
    grown = {name: (before[name], size) for name, size in sizes.items() if size > before[name] * 1.02 + 2}
    with capsys.disabled():
        rows = (f"{name}: {used[name]:,} -> {before[name]:,} -> {size:,}" for name, size in sizes.items() if used[name])
        print("", f"report pages: {pages}", *rows, sep="\n")
    assert grown == {}
    in_order(lived)
