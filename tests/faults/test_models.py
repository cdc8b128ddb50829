"""A failing provider and killed senders: the same beliefs, no reply paid twice, and other work goes on."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.store.model_calls.call_queue import FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS
from tests.contract.model_calls.scripted_models import TALK, Talk
from tests.faults.rig.asking import POINTS
from tests.faults.rig.ground import Ground, environment
from tests.faults.rig.processes import DEADLINE_SECONDS, Process, python, until
from tests.faults.rig.provider import LocalProvider, answering
from tests.faults.rig.saboteur import Sabotage
from tests.faults.rig.stage import restarting

pytestmark = pytest.mark.accept

SLOTS = 2
"""The number of concurrent calls, which is also the maximum number of replies that are paid again after a kill."""
ALICE, BOB = Scope("default", "alice", "concierge"), Scope("acme", "bob", "concierge")
TOLD = [f"likes food{number}" for number in range(12)] + ["lives in Oslo", "mumbles", "lives in Bergen", "likes tea"]


@contextmanager
def told(
    ground: Ground, database: str, folder: Path, provider: LocalProvider, *, timeout_seconds: float = 1
) -> Iterator[tuple[wiring.Parts, Process]]:
    """Give the parts of an agent that has pushed to two scopes, and an asking worker that is not started."""
    settings = ground.settings(
        database,
        model="echo",
        model_url=provider.url,
        model_timeout_seconds=timeout_seconds,
        model_slots=SLOTS,
        window=8,
    )
    (folder / "sabotage").mkdir()
    model = {
        "MODEL": "echo",
        "MODEL_SLOTS": str(SLOTS),
        "MODEL_URL": provider.url,
        "MODEL_TIMEOUT_SECONDS": str(timeout_seconds),
    }
    more = {f"SLOWWAVE_{name}": value for name, value in model.items()}
    env = {**environment(settings), **more, "SABOTAGE": str(folder / "sabotage")}
    worker = Process(python("tests.faults.rig.asking", "work"), env, folder / "worker.log")
    parts = wiring.connect(settings)
    vars(parts).update(models={TALK: Talk()})
    wiring.register(parts)
    try:
        for scope in (ALICE, BOB):
            parts.push(scope, [Episode(content=said, key=f"k{n}") for n, said in enumerate(TOLD)])
        due_work.fire(parts)
        yield parts, worker
    finally:
        parts.close()


def applied(ground: Ground, database: str, pack: str) -> list[int]:
    """Return the applied position of a pack in each scope."""
    rows = ground.rows(database, "SELECT position FROM watermarks WHERE pack = %s ORDER BY scope", pack)
    return [position for (position,) in rows]


def prove(ground: Ground, database: str, parts: wiring.Parts) -> None:
    """Assert that both scopes believe what was pushed, that no work is left, and that no reply was paid twice."""
    for scope in (ALICE, BOB):
        believed = sorted(fact.object for fact in parts.records.facts(scope) if fact.rule.startswith(TALK))
        assert believed == sorted([*(f"food{number}" for number in range(12)), "Bergen", "tea"])
    for left_over in (
        "dead_letters",
        "model_windows WHERE state = 'waiting'",
        "model_budgets WHERE reserved_tokens <> 0",
        "model_requests WHERE state IN ('pending', 'asked')",
        "model_calls c JOIN model_replies r USING (request) WHERE r.n = 0 AND c.started > r.kept",
    ):
        assert ground.rows(database, f"SELECT 1 FROM {left_over}") == [], left_over


@pytest.mark.parametrize("points", [POINTS[2:], pytest.param(POINTS, marks=pytest.mark.soak)], ids=["late", "any"])
def test_a_worker_killed_in_any_step_of_a_window_pays_no_reply_twice(
    ground: Ground, database: str, tmp_path: Path, points: tuple[str, ...]
) -> None:
    with answering() as provider, told(ground, database, tmp_path, provider, timeout_seconds=10) as (parts, worker):
        sabotage = Sabotage(tmp_path / "sabotage")
        for point in points:
            sabotage.arm(point)
        try:
            with restarting(worker):
                until(
                    lambda: applied(ground, database, TALK) == [16, 16] and not any(map(sabotage.armed, points)),
                    "every window is applied", otherwise=worker.said,
                )  # fmt: skip
        finally:
            worker.kill_group()

        prove(ground, database, parts)
        ((requests,),) = ground.rows(database, "SELECT count(*) FROM model_requests")
        again = provider.billed.total() - requests
        assert again <= SLOTS * len(points), "a death interrupts the calls in progress, and pays nothing else again"


def pauses(script: list[str]) -> float:
    """Return the longest pauses of the breaker, in seconds, while a provider follows a script."""
    own = (min(FIRST_PAUSE_SECONDS * 2.0**number, LONGEST_PAUSE_SECONDS) for number in range(len(script) - 2))
    return 1.25 * sum(own)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(["429", "429 1", "500", "garbage"], marks=pytest.mark.soak),
        pytest.param(["hang", "503", "truncated", "429 2", "garbage"], marks=pytest.mark.soak),
        pytest.param(["500"] * 6 + ["429"] * 4, marks=pytest.mark.soak),
    ],
    ids=["throttled", "hanging", "away"],
)
@pytest.mark.timeout(500)  # pauses double from failure to failure
def test_a_failing_provider_is_asked_less_often_and_loses_no_episode(
    ground: Ground, database: str, tmp_path: Path, script: list[str]
) -> None:
    with answering(script) as provider, told(ground, database, tmp_path, provider) as (parts, worker):
        worker.start()
        try:
            until(
                lambda: applied(ground, database, TALK) == [16, 16],
                "every window is applied", seconds=pauses(script) + DEADLINE_SECONDS, otherwise=worker.said,
            )  # fmt: skip
        finally:
            worker.kill_group()

        assert provider.met[: len(script)] == script
        prove(ground, database, parts)


def test_other_packs_and_scopes_run_while_a_provider_hangs(ground: Ground, database: str, tmp_path: Path) -> None:
    with answering(["hang"] * 100) as provider, told(ground, database, tmp_path, provider) as (parts, worker):
        provider.hang_seconds = 1.5  # longer than any client waits
        worker.start()
        try:
            until(
                lambda: applied(ground, database, "everyday") == [16, 16] == applied(ground, database, "_prepare"),
                "the rules have read everything", otherwise=worker.said,
            )  # fmt: skip
            until(lambda: len(provider.met) >= 3, "the provider was asked again", otherwise=worker.said)
        finally:
            worker.kill_group()

        assert applied(ground, database, TALK) == [0, 0]
        desk = parts.records.overview("default").model_calls
        assert desk is not None
        assert desk.windows == 2
        assert desk.providers[0].failures > 0
        assert os.environ.get("SABOTAGE") is None  # the agent's process runs no worker
