"""A small model reads honest talk and invents: its inventions are rejected, each with its reason."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import psycopg
import pytest

from slowwave import wiring
from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact
from slowwave.memory import Memory
from slowwave.settings import Settings
from tests.faults.adversary.serving import weights
from tests.faults.adversary.talk import TALK, inventions, told
from tests.faults.rig.ground import environment
from tests.faults.rig.processes import Process, python, running, until
from tests.integration.command import Run, run

__all__ = ["run"]
MINUTES = 60.0


@pytest.fixture
def small_model(tmp_path: Path, settings: Settings) -> Iterator[str]:
    """The address of a small model that answers while the test lasts."""
    weights()
    process = Process(python("tests.faults.adversary.serving"), environment(settings), tmp_path / "model.log")
    with running(process):
        said = until(lambda: _after("SERVED AT ", process.said()), "it is served", otherwise=process.said)
        yield f"{said}/v1"


def _after(mark: str, log: str) -> str:
    """Return the text after *mark* in the first complete line of a log that contains it."""
    return next((line.removeprefix(mark) for line in log.split("\n")[:-1] if line.startswith(mark)), "")


@pytest.mark.soak
@pytest.mark.timeout(60 * MINUTES)
def test_inventions_of_a_small_model_are_not_believed(
    small_model: str, settings: Settings, superuser: psycopg.Connection, run: Run
) -> None:
    asking = {"model": "smollm2", "model_url": small_model, "model_timeout_seconds": 10 * MINUTES}
    parts = wiring.connect(settings.model_copy(update=asking))
    vars(parts).update(packs=[])  # the rules must not extract the same
    wiring.register(parts)

    def rows(query: str) -> list[tuple[Any, ...]]:
        return superuser.execute(query.encode()).fetchall()

    with Memory(parts) as memory:
        for who in TALK:
            memory.scope(who).push_many(told(who))
            memory.scope(who).consolidate()

        def read() -> bool:
            memory.drain(30 * MINUTES)  # seconds for which the sender pauses after unreadable replies
            return rows("SELECT min(position) FROM watermarks WHERE pack = 'reader'") == [(6,)]

        until(read, "every scope was read to its end", seconds=50 * MINUTES)
        believed = [(who, fact) for who in TALK for fact in memory.scope(who).facts()]
        wrong = {
            f"{who}: {fact.text}": found
            for who, fact in believed
            if (found := inventions(fact, memory.why(fact.id), [one.content for one in told(who)]))
        }

    assert wrong == {}
    assert {fact.rule.partition("@")[0] for _, fact in believed} <= {"reader/model"}
    rejected = run("rules", "rejected", "--limit", "1000", "--json").json
    assert rejected, "a model of this size was expected to invent"
    assert all(one["reason"] and one["said"] for one in rejected)
    assert "the model may not follow the prompt, see `slowwave rules rejected`" in run("status").out
    counted = rows("SELECT sum((counts ->> 'rejected')::int) FROM runs WHERE outcome = 'ok' AND job = 'consolidate'")
    assert counted == [(len(rejected),)]
    assert rows("SELECT job, outcome FROM runs WHERE outcome NOT IN ('ok', 'unavailable', 'conflict')") == []
    assert rows("SELECT model_window FROM model_windows WHERE state = 'waiting'") == []
    assert rows("SELECT request FROM model_requests WHERE state IN ('pending', 'asked')") == []


def _belief(object_: str, *evidence: tuple[str, str]) -> tuple[Fact, Explanation]:
    rests = [SimpleNamespace(content=content, words=words) for content, words in evidence]
    why = SimpleNamespace(steps=[SimpleNamespace(evidence=rests)])
    return cast(Fact, SimpleNamespace(object=object_)), cast(Explanation, why)


SAID = ["I moved to Oslo.", "We own 2 bikes."]


@pytest.mark.parametrize(
    ("object_", "evidence", "wrong"),
    [
        ("Oslo", ("I moved to Oslo.", "moved to Oslo"), []),
        ("2 bikes in Oslo", ("We own 2 bikes.", "2 bikes"), []),
        ("Bergen", ("I moved to Oslo.", "moved to Oslo"), ["'Bergen' was not said"]),
        ("2 bikes", ("I moved to Oslo.", "moved to Oslo"), ["'2' was not said"]),
        ("12 bikes", ("We own 2 bikes.", "own 2 bikes"), ["'12' was not said"]),
        ("Oslo", ("I moved to Oslo.", "moved to  Oslo"), ["'moved to  Oslo' does not stand in 'I moved to Oslo.'"]),
        ("Oslo", ("I live in Oslo.", "Oslo"), ["'I live in Oslo.' was never said to this user's agent"]),
    ],
)
def test_the_judge_recognises_an_invention(object_: str, evidence: tuple[str, str], wrong: list[str]) -> None:
    assert inventions(*_belief(object_, evidence), SAID) == wrong


def test_the_judge_recognises_a_belief_without_a_source() -> None:
    assert inventions(*_belief("Oslo"), SAID) == ["it rests on no words"]
