"""The summary of a session is a fact with sources, and the next summary replaces it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import cast

import pytest

from slowwave.core.summaries.extractive_summary import Line
from slowwave.domain.claim import Certainty, Source
from slowwave.domain.episode import Episode, StoredEpisode
from slowwave.domain.fact import Fact
from slowwave.domain.job_table import SUMMARISE, pack_of
from slowwave.domain.run import Report
from slowwave.domain.scope import Scope
from slowwave.jobs.summaries.summarise import Summarise
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.wiring import Parts
from tests.conftest import NOON

PACK = pack_of(SUMMARISE)


@pytest.fixture
def alice(parts: Parts, scope: Scope) -> MemoryScope:
    return Memory(parts).scope(scope.user, agent=scope.agent)


def say(alice: MemoryScope, *sentences: str, session: str = "s1", start: int = 0) -> None:
    for number, sentence in enumerate(sentences, start):
        occurred = NOON + timedelta(minutes=number)
        alice.push(Episode(content=sentence, key=f"{session}/{number}", session=session, occurred_at=occurred))


def summarised(alice: MemoryScope) -> list[Report]:
    """Summarise the new turns; return the runs."""
    Memory(parts_of(alice)).drain()
    parts_of(alice).schedule.fire_manually(by="test", scopes=[alice.scope.id], pack=PACK)
    return [report for report in Memory(parts_of(alice)).drain() if report.job == SUMMARISE]


def summaries(alice: MemoryScope) -> dict[str, Fact]:
    return {fact.subject: fact for fact in alice.facts() if fact.predicate == "summary"}


def test_each_session_has_a_summary_with_its_sources(alice: MemoryScope) -> None:
    say(alice, "I moved to Oslo. It is cold!", "I work at Equinor.")
    say(alice, "My sister is called Ann.", session="S1")
    assert [run.outcome for run in summarised(alice)] == ["ok"]

    found = summaries(alice)
    assert found.keys() == {"session/s1", "session/%531"}
    assert found["session/s1"].object == "user: I moved to Oslo.\nuser: It is cold!\nuser: I work at Equinor."
    assert found["session/s1"].rule == "summarise/extractive"
    (step,) = alice.why(found["session/s1"].id).steps
    assert [evidence.words for evidence in step.evidence] == ["I work at Equinor.", "It is cold!", "I moved to Oslo."]


def test_the_next_summary_replaces_the_previous_one_and_keeps_its_best_sentences(alice: MemoryScope) -> None:
    say(alice, "I moved to Oslo in May 2024.", "I like tea.")
    summarised(alice)
    (first,) = summaries(alice).values()
    say(alice, "I work at Equinor.", start=2)
    assert [run.outcome for run in summarised(alice)] == ["ok"]

    (second,) = summaries(alice).values()
    assert second.object == "user: I moved to Oslo in May 2024.\nuser: I like tea.\nuser: I work at Equinor."
    steps = alice.why(second.id).steps
    assert [(step.kind, [before.fact for before in step.replaces]) for step in steps] == [("update", [first.id])]
    assert [e.words for e in steps[0].evidence] == [
        "I work at Equinor.", "I like tea.", "I moved to Oslo in May 2024.",
    ]  # fmt: skip
    (before,) = [fact for fact in alice.facts(as_of=NOON + timedelta(minutes=1)) if fact.predicate == "summary"]
    assert before.object == first.object


def test_an_unchanged_summary_is_not_written_again(alice: MemoryScope) -> None:
    names = [f"Ann{n} moved to Town{n} with Bob{n} in {2000 + n}." for n in range(12)]
    say(alice, *names)
    summarised(alice)
    before = alice.digest()
    say(alice, "well, well", start=20)

    (report,) = summarised(alice)

    assert (report.outcome, report.episodes, report.deltas.total()) == ("ok", 1, 0)
    assert alice.digest() == before


def test_a_late_message_changes_the_summary_from_now_on(alice: MemoryScope) -> None:
    say(alice, "I moved to Oslo.", start=60)
    summarised(alice)
    say(alice, "I worked in Lisbon.", start=0)
    summarised(alice)

    (now,) = summaries(alice).values()
    assert now.object == "user: I moved to Oslo.\nuser: I worked in Lisbon."
    assert now.valid_from == NOON + timedelta(minutes=60, microseconds=1)


def test_only_messages_are_summarised(alice: MemoryScope) -> None:
    alice.push("Read(file) gave 3 lines", kind="tool_call", role="tool", session="s1")
    summarised(alice)

    assert summaries(alice) == {}


def test_a_run_that_is_repeated_summarises_nothing_twice(alice: MemoryScope, parts: Parts) -> None:
    """A killed worker leaves its window, which the next worker reads again."""
    say(alice, "I moved to Oslo.", "I work at Equinor.")
    Memory(parts_of(alice)).drain()
    parts.schedule.fire_manually(by="test", scopes=[alice.scope.id], pack=PACK)
    run = parts.runs.claim(owner="ann", scope=alice.scope.id, jobs=[SUMMARISE], overdue_seconds=0)
    assert run is not None
    first, second = (parts.jobs[SUMMARISE].think(run, parts.runs) for _ in range(2))
    assert [d.id for d in first.decisions] == [d.id for d in second.decisions]

    parts.runs.settle(run, first)
    digest = alice.digest()
    parts.schedule.fire_manually(by="test", scopes=[alice.scope.id], pack=PACK)
    Memory(parts_of(alice)).drain()

    assert alice.digest() == digest


@dataclass(frozen=True)
class Rephrasing:
    """A summariser that returns a given text."""

    says: str
    name: str = "rephrasing"
    version: int = 1
    certainty: Certainty = "implied"

    def summarise(self, previous: Sequence[Line], messages: Sequence[StoredEpisode]) -> list[Line]:
        """Return one line about the last message."""
        del previous
        last = messages[-1]
        return [Line(self.says, Source(last.id, last.key, last.position, 0, len(last.content)))]


REPHRASED = "The user lives in Oslo since May 2024, and works for Equinor."


def rephrased(alice: MemoryScope, says: str) -> tuple[Fact, Mapping[str, int]]:
    """Summarise with these words; return the current summary and the counts of the run."""
    parts = parts_of(alice)
    parts.jobs[SUMMARISE] = replace(cast(Summarise, parts.jobs[SUMMARISE]), summariser=Rephrasing(says))
    (report,) = summarised(alice)
    (fact,) = summaries(alice).values()
    return fact, report.counts


def test_a_paraphrase_with_known_names_and_numbers_is_accepted(alice: MemoryScope) -> None:
    say(alice, "I moved to Oslo in May 2024.", "I work at Equinor.")
    fact, counts = rephrased(alice, REPHRASED)

    assert (fact.object, fact.rule) == (REPHRASED, "summarise/rephrasing")
    assert (fact.confidence, counts) == (0.85, {"summaries": 1})
    assert alice.summary("s1").lines[0].text.endswith(f" {REPHRASED}")

    say(alice, "My sister visits.", start=2)
    assert alice.summary("s1").covered == 2, "what was said since is not in it before it is summed up"
    fact, _ = rephrased(alice, "The user lives in Oslo; a sister visits.")
    assert fact.object == "The user lives in Oslo; a sister visits."


@pytest.mark.parametrize(
    ("says", "kind"), [("The user lives in Bergen.", "names"), ("They moved to Oslo in 2023.", "numbers")]
)
def test_a_summary_with_invented_names_is_counted_and_gives_quotes(alice: MemoryScope, says: str, kind: str) -> None:
    say(alice, "I moved to Oslo in May 2024.", "I work at Equinor.")
    fact, counts = rephrased(alice, says)

    assert fact.object == "user: I moved to Oslo in May 2024.\nuser: I work at Equinor."
    assert (fact.rule, fact.confidence) == ("summarise/extractive", 0.95)
    assert counts == {"summaries": 1, f"summaries_with_unsaid_{kind}": 1}
