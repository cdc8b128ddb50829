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

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Life:
    """The turns and claims of each day, a week apart, and what is believed at the end: of now, and of the day *before*.

    A claim's `r` names what is held, of which a model gives the number.
    """

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
    "a job that moved": Life(
        [
            (["I work at Acme as a nurse."], [
                claim(1, "works_at", "Acme", "I work at Acme"), claim(1, "works_as", "nurse", "as a nurse"),
            ]),
            (["My job moved: I am at Globex now."], [
                claim(1, "works_at", "Globex", "I am at Globex now", r="user|works_at|Acme"),
            ]),
        ],
        {"The user works as a nurse", "The user works at Globex"},
        {"The user works as a nurse", "The user works at Acme"},
    ),
    "a dog that died": Life(
        [
            (["Our dog Max is lazy, and our dog Rex is not."], [
                claim(1, "pet", "dog Max", "Our dog Max"), claim(1, "pet", "dog Rex", "our dog Rex"),
            ]),
            (["Max died yesterday."], [
                claim(1, "pet", "dog Max", "Max died", t="yesterday", m="end", r="user|pet|dog Max"),
            ]),
        ],
        {"The user has a dog Rex"},
        {"The user has a dog Max", "The user has a dog Rex"},
    ),
    "a meeting that is cancelled, of which the model forgot the number": Life(
        [
            (["I have a meeting with Ana on 20 March, and one with Ben."], [
                claim(1, "appointment", "meeting with Ana", "a meeting with Ana", t="on 20 March"),
                claim(1, "appointment", "meeting with Ben", "one with Ben"),
            ]),
            (["The meeting with Ana is cancelled."], [
                claim(1, "appointment", "meeting with Ana", "meeting with Ana is cancelled", m="end"),
            ]),
        ],
        {"The user has a meeting with Ben"},
        {"The user has a meeting with Ana on 20 March 2026", "The user has a meeting with Ben"},
    ),
    "one of many that never was so": Life(
        [
            (["I'm allergic to almonds and to dust."], [
                claim(1, "allergic_to", "almonds", "allergic to almonds"), claim(1, "allergic_to", "dust", "to dust"),
            ]),
            (["Actually it's peanuts I'm allergic to, not almonds."], [
                claim(1, "allergic_to", "peanuts", "it's peanuts", m="fix", r="user|allergic_to|almonds"),
            ]),
        ],
        {"The user is allergic to peanuts", "The user is allergic to dust"},
        {"The user is allergic to peanuts", "The user is allergic to dust"}
    ),
    "a slip that is taken back at once": Life(
        [
            (["I'm allergic to almonds.", "A: Noted.", "Actually no, to peanuts."], [
                claim(1, "allergic_to", "almonds", "allergic to almonds"),
                claim(3, "allergic_to", "peanuts", "Actually no, to peanuts", m="fix"),
            ]),
        ],
        {"The user is allergic to peanuts"},
        {"The user is allergic to peanuts"},
    ),
    "a taste that changed": Life(
        [
            (["I prefer coffee, and quiet rooms."], [
                claim(1, "prefers", "coffee", "I prefer coffee"), claim(1, "prefers", "quiet rooms", "quiet rooms"),
            ]),
            (["These days I prefer tea to coffee."], [
                claim(1, "prefers", "tea", "I prefer tea", r="user|prefers|coffee"),
            ]),
        ],
        {"The user prefers tea", "The user prefers quiet rooms"},
        {"The user prefers coffee", "The user prefers quiet rooms"},
    ),
    "a car that was sold, of which the model says nothing": Life(
        [
            (["I drive a blue Skoda. My sister Ines drives a van."], [
                claim(1, "drives", "a blue Skoda", "I drive a blue Skoda"),
                claim(1, "drives", "a van", "Ines drives a van", s="Ines"),
            ]),
            (["I sold the Skoda to a colleague."], []),
        ],
        {"Ines drives a van"},
        {"The user drives a blue Skoda", "Ines drives a van"},
    ),
    "a course that is over, told beside what follows": Life(
        [
            (["I'm taking a pottery course in Bergen."], [
                claim(1, "takes", "a pottery course in Bergen", "a pottery course"),
            ]),
            (["The pottery course is over, I bake clay whistles now."], [
                claim(1, "bakes", "clay whistles", "I bake clay whistles now"),
            ]),
        ],
        {"The user bakes clay whistles"},
        {"The user takes a pottery course in Bergen"},
    ),
    "a move that the rules understand, and the model as well": Life(
        [
            (["I live in Lisbon."], [claim(1, "lives_in", "Lisbon", "I live in Lisbon")]),
            (["I no longer live in Lisbon, I moved to Oslo."], [
                claim(1, "lives_in", "Oslo", "I moved to Oslo", r="user|lives_in|Lisbon"),
            ]),
        ],
        {"The user lives in Oslo"},
        {"The user lives in Lisbon"},
    ),
}  # fmt: skip


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
