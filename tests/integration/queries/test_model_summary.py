"""The summary of a session on request: up to the last turn, of any length, with its sources."""

from datetime import timedelta

import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import SUMMARISE, pack_of
from slowwave.errors import NotFound
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.context.parts import summary_part
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.wiring import Parts
from tests.conftest import NOON
from tests.contract.summaries.harness import model, said, telling
from tests.integration.command import Run

SAID = ["Good morning!", "I moved to Oslo in May 2024.", "My sister Ann works at Equinor. It rains."]


@pytest.fixture
def alice(parts: Parts) -> MemoryScope:
    return Memory(parts).scope("alice", agent="concierge")


def say(scope: MemoryScope, *sentences: str, session: str = "s1", start: int = 0) -> None:
    for number, sentence in enumerate(sentences, start):
        occurred = NOON + timedelta(days=number)
        scope.push(Episode(content=sentence, key=f"{session}/{number}", session=session, occurred_at=occurred))


def run_summaries(scope: MemoryScope) -> None:
    parts = parts_of(scope)
    Memory(parts).drain()
    parts.schedule.fire_manually(by="test", scopes=[scope.scope.id], pack=pack_of(SUMMARISE))
    Memory(parts).drain()


def day(number: int) -> str:
    return (NOON + timedelta(days=number)).date().isoformat()


def test_a_summary_does_not_depend_on_a_stored_one(alice: MemoryScope) -> None:
    say(alice, *SAID[:2])
    run_summaries(alice)
    say(alice, SAID[2], start=2)
    before = alice.summary("s1")
    run_summaries(alice)
    after = alice.summary("s1")

    assert before.text == after.text == "\n".join(
        [
            f"{day(0)} user: Good morning!",
            f"{day(1)} user: I moved to Oslo in May 2024.",
            f"{day(2)} user: My sister Ann works at Equinor.",
            f"{day(2)} user: It rains.",
        ]
    )  # fmt: skip
    assert (before.covered, after.covered) == (3, 3)
    assert after.at == NOON + timedelta(days=2)
    assert (before.fact is None, before.fact == after.fact) == (False, False)
    assert after.fact in {fact.id for fact in alice.facts() if fact.predicate == "summary"}


def test_each_line_of_a_summary_quotes_an_episode(alice: MemoryScope) -> None:
    say(alice, *SAID)

    for line in alice.summary("s1").lines:
        episode = alice.episode(line.source.episode)
        assert line.text.endswith(": " + episode.content[line.source.start : line.source.end])
        assert (episode.key, line.occurred) == (line.source.key, episode.occurred)
    assert alice.summary("s1").fact is None


def test_a_summary_fits_its_budget_and_keeps_the_most_informative_lines(alice: MemoryScope) -> None:
    say(alice, *SAID)
    short = alice.summary("s1", max_tokens=15)

    assert short.text == f"{day(1)} user: I moved to Oslo in May 2024."
    assert short.tokens <= 15
    assert alice.summary("s1", max_tokens=1).text == ""


def test_a_summary_covers_only_its_session_and_an_empty_session_has_none(alice: MemoryScope) -> None:
    say(alice, "I moved to Oslo.")
    say(alice, "I sold the car.", session="S1")
    alice.push("Read(file) gave 3 lines", kind="tool_call", role="tool", session="tools")

    assert alice.summary("S1").text == f"{day(0)} user: I sold the car."
    assert (alice.summary("tools").lines, alice.summary("tools").tokens) == ((), 0)
    with pytest.raises(NotFound, match="no conversation 's2' here"):
        alice.summary("s2")
    with pytest.raises(NotFound):
        Memory(parts_of(alice)).scope("bob", agent="concierge").summary("s1")


def test_a_long_unprepared_session_is_summarised_whole(alice: MemoryScope) -> None:
    alice.push_many([{"content": f"It was {'very ' * (n % 3)}nice.", "session": "s1"} for n in range(700)])
    alice.push_many([{"content": "I moved to Oslo in May 2024.", "session": "s1"}])
    alice.push_many([{"content": f"That was {'so ' * (n % 3)}nice.", "session": "s1"} for n in range(700)])

    assert any("I moved to Oslo in May 2024." in line.text for line in alice.summary("s1").lines)
    assert alice.summary("s1").covered == 1_401


def test_the_summary_command_prints_text_and_complete_json(alice: MemoryScope, run: Run) -> None:
    say(alice, *SAID)
    told = run("summary", "s1", "--user", "alice", "--agent", "concierge")

    assert f"{day(1)} user: I moved to Oslo in May 2024.\n      s1/1 at position 2\n" in told.out
    assert told.out.rstrip().endswith("; by: extract")
    found = run("summary", "s1", "--user", "alice", "--agent", "concierge", "--json").json
    expected = alice.summary("s1")
    assert (found["text"], found["tokens"], found["covered"]) == (expected.text, expected.tokens, 3)
    assert [line["source"]["key"] for line in found["lines"]] == ["s1/0", "s1/1", "s1/2", "s1/2"]


def test_the_summary_command_names_the_model_and_the_sources(
    settings: Settings, heavy_parts: dict[str, object], run: Run
) -> None:
    with model() as small, telling(settings, heavy_parts, small) as parts:
        small.replies = [said({"text": "The user moved to Oslo; Ann works at Equinor.", "from": [2, 3]})]
        alice = Memory(parts).scope("alice", agent="concierge")
        say(alice, *SAID)
        run_summaries(alice)

        told = run("summary", "s1", "--user", "alice", "--agent", "concierge")
        line = f"{day(2)} The user moved to Oslo; Ann works at Equinor."
        assert told.out.startswith(f"{line}\n      s1/2 at position 3, s1/1 at position 2\n")
        assert told.out.rstrip().endswith("; by: model small")
        found = run("summary", "s1", "--user", "alice", "--agent", "concierge", "--json").json
        assert (found["by"], found["lines"][0]["source"]["key"]) == ("model small", "s1/2")
        assert [source["key"] for source in found["lines"][0]["more_sources"]] == ["s1/1"]
        part = summary_part(parts, [alice.scope], "s1", 4_000, in_mind=())
        assert part is not None, "as a context takes it, once the turns have left the mind"
        assert (part.content, [source.key for source in part.sources]) == (line, ["s1/2", "s1/1"])
