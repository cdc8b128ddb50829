"""Changed lives, read by a model: replaced and ended facts, and judgements in batches planned ahead."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from slowwave import Episode, Memory, wiring
from slowwave.domain.job_table import RECONSIDER, pack_of
from slowwave.domain.model_calls import Message
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope, due_work
from slowwave.settings import Settings
from tests.contract.summaries.harness import Model, model, runs
from tests.faults.rig.provider import answering
from tests.integration.steps import learn, process, talk
from tests.unit.model_packs.talks import claim
from tests.unit.tables import table

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Life:
    """The turns and claims of each day, and what is believed at the end: of now, and of the day *before*."""

    days: Sequence[tuple[Sequence[str], Sequence[dict[str, Any]]]]
    now: set[str]
    before: set[str]

    def reply(self, messages: Sequence[Message]) -> str:
        """Return the model's reply about the requested day."""
        asked = messages[-1]["content"]
        (claims,) = (claims for turns, claims in self.days if turns[-1] in asked.partition("TALK")[2])
        return json.dumps({"claims": [{**one, **_numbered(one, asked)} for one in claims]})


def _numbered(one: dict[str, Any], asked: str) -> dict[str, Any]:
    if not one.get("r"):
        return {}
    found = re.search(rf"(\d+) {re.escape(one['r'])}(?:;|\n)", asked)
    assert found, f"{one['r']} is not told beside: {asked}"
    return {"r": int(found[1])}


LIVES = {
    name: Life(
        [(day["told"], [claim(**one) for one in day["claims"]]) for day in life["days"]],
        set(life["now"]),
        set(life["before"]),
    )
    for name, life in table(__file__).items()
}


@pytest.mark.parametrize("life", LIVES.values(), ids=LIVES.keys())
def test_a_model_pack_stores_the_present_and_the_past_of_a_change(
    settings: Settings, scope: Scope, heavy_parts: dict[str, object], life: Life
) -> None:
    with (
        answering(replies=life.reply) as provider,
        process(settings, heavy_parts, model_url=provider.url, model="recorded") as parts,
    ):
        memory = MemoryScope(parts, scope)
        for number, (turns, _) in enumerate(life.days):
            memory.push_many(talk(turns, f"day-{number}", MONDAY + number * timedelta(days=7)))
            memory.consolidate()
        now, before = memory.facts(), memory.facts(as_of=MONDAY + timedelta(days=1))
        rejected = parts.records.rejected("default", most=50)

    assert {fact.text for fact in now} == life.now
    assert {fact.text for fact in before} == life.before
    assert rejected == []
    assert {fact.rule.partition("@")[0] for fact in now} == {"reader/model"}


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
    with process(settings, heavy_parts, model_url=small.provider.url, model="recorded") as parts:
        yield parts


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
        learn(memory, Episode(content=words, session=f"day-{day}", occurred_at=MONDAY + timedelta(days=day)))
    (belief,) = memory.facts(as_of=MONDAY + timedelta(days=9))

    live.schedule.fire_job(RECONSIDER, pack_of(RECONSIDER), by="test")
    Memory(live).drain()

    assert small.asked[-1][-1]["content"] == f"SAID\n1 user: {SILENT}\nBELIEVED\n1 {belief.text}"
    assert list(memory.facts(as_of=MONDAY + timedelta(days=9))) == []
    assert memory.why(belief.id).steps[-1].evidence[0].words == "finally done with the choir"
