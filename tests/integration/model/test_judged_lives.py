"""A life that a model reads in batches planned ahead: what one batch could not know of another is mended by night."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from slowwave import Episode, Memory, wiring
from slowwave.domain.job_table import RECONSIDER, pack_of
from slowwave.domain.model_calls.chunk import Message
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope, due_work
from slowwave.settings import Settings
from tests.contract.summaries.harness import Model, model, runs
from tests.unit.model_packs.talks import claim

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
TELLS = "I joined the choir at St Mary's."
ENDS = "The choir at St Mary's and I went our own ways."
SILENT = "Me, finally done with the choir!"
SAYS = {
    TELLS: claim(1, "sings in", "the choir at St Mary's", "I joined the choir at St Mary's"),
    ENDS: claim(1, "sings in", "the choir at St Mary's", "choir at St Mary's and I went our own ways", m="end"),
}
VERDICT = {"b": 1, "n": 1, "q": "went our own ways", "v": "ended", "sure": True}


@pytest.fixture
def small() -> Iterator[Model]:
    """A model that reads the two days, and judges that one belief has ended."""
    with model() as small:

        def reply(messages: Sequence[Message]) -> str:
            small.asked.append(messages)
            asked = messages[-1]["content"]
            if SILENT in asked and asked.startswith("SAID"):
                return json.dumps({"verdicts": [{**VERDICT, "q": "finally done with the choir"}]})
            if asked.startswith("SAID"):
                return json.dumps({"verdicts": [VERDICT]})
            told: list[dict[str, Any]] = [said for words, said in SAYS.items() if words in asked.partition("TALK")[2]]
            return json.dumps({"claims": told})

        small.provider.replies = reply
        yield small


@pytest.fixture
def live(settings: Settings, heavy_parts: dict[str, object], small: Model) -> Iterator[wiring.Parts]:
    told = {**settings.model_dump(exclude_unset=True), "model_url": small.provider.url, "model": "recorded"}
    parts = wiring.connect(Settings.load(**told))
    vars(parts).update(heavy_parts)
    wiring.register(parts)
    yield parts
    parts.close()


def test_the_nightly_judge_ends_a_belief_that_its_batch_did_not_see(
    live: wiring.Parts, small: Model, scope: Scope
) -> None:
    memory = MemoryScope(live, scope)
    for day, words in enumerate(SAYS):
        memory.push(Episode(content=words, session=f"day-{day}", occurred_at=MONDAY + timedelta(days=day)))
        due_work.fire(live, scope.id)
        runs(live)
    assert due_work.count_pending_requests(live, scope.id) == 2, "both days were planned before either was read"
    Memory(live).drain()
    (belief,) = memory.facts(as_of=MONDAY + timedelta(days=9))
    assert "choir" in belief.text
    assert not any("HELD" in messages[-1]["content"] for messages in small.asked)

    live.schedule.fire_job(RECONSIDER, pack_of(RECONSIDER), by="test")
    Memory(live).drain()

    assert small.asked[-1][-1]["content"] == f"SAID\n1 user: {ENDS}\nBELIEVED\n1 {belief.text}"
    assert list(memory.facts(as_of=MONDAY + timedelta(days=9))) == []
    assert [fact.text for fact in memory.facts(as_of=MONDAY + timedelta(hours=1))] == [belief.text]
    assert len(small.asked) == 3


def test_the_nightly_judge_reads_turns_without_claims(live: wiring.Parts, small: Model, scope: Scope) -> None:
    memory, told = MemoryScope(live, scope), [TELLS, "Is the choir gone?", "What a sunny day!", SILENT]
    for day, words in enumerate(told):
        memory.push(Episode(content=words, session=f"day-{day}", occurred_at=MONDAY + timedelta(days=day)))
        memory.consolidate()
    (belief,) = memory.facts(as_of=MONDAY + timedelta(days=9))

    live.schedule.fire_job(RECONSIDER, pack_of(RECONSIDER), by="test")
    Memory(live).drain()

    assert small.asked[-1][-1]["content"] == f"SAID\n1 user: {SILENT}\nBELIEVED\n1 {belief.text}"
    assert list(memory.facts(as_of=MONDAY + timedelta(days=9))) == []
    assert memory.why(belief.id).steps[-1].evidence[0].words == "finally done with the choir"
