"""A model judges beliefs at night: one request per scope and night, and only verdicts with quoted words count."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from slowwave import wiring
from slowwave.domain.job_table import CONSOLIDATE, PREPARE, RECONSIDER
from slowwave.domain.model_calls import Message
from slowwave.memory import due_work
from slowwave.settings import Settings
from slowwave.store.model_requests import erase
from tests.conftest import NOON
from tests.contract.harness import Harness, somebody
from tests.contract.learning.kofi import Kofi
from tests.contract.summaries.harness import Model, model
from tests.statements import heavy_parts

__all__ = ["heavy_parts"]

TAKES, OFF = "I take metformin for my diabetes", "The doctor let me do without the metformin"
BELIEVED, LEARNED = "Kofi takes metformin", "The doctor let Kofi do without the metformin"
ENDED = {"b": 1, "n": 1, "q": "let me do without the metformin", "v": "ended", "sure": True}


@dataclass
class Judged(Kofi):
    """Kofi, in a process with rules that read episodes and a model that judges beliefs."""

    small: Model = field(kw_only=True)

    def replying(self, *verdicts: Mapping[str, Any]) -> None:
        self.small.replies = [json.dumps({"verdicts": list(verdicts)})]

    def asked(self) -> list[str]:
        """Return the prompts of the requests, in order."""
        return [messages[-1]["content"] for messages in self.small.asked]

    def billed(self) -> int:
        """Return the number of requests that were sent."""
        return self.small.provider.billed.total()


@pytest.fixture
def small() -> Iterator[Model]:
    """A model with scripted replies, and a reply without changes after them."""
    with model() as small:

        def reply(messages: Sequence[Message]) -> str:
            small.asked.append(messages)
            return small.replies.pop(0) if small.replies else json.dumps({"verdicts": []})

        small.provider.replies = reply
        yield small


@contextmanager
def judging(settings: Settings, heavy_parts: dict[str, object], small: Model, name: str) -> Iterator[wiring.Parts]:
    """Give the parts of a process with rules that read episodes and a model *name* that judges beliefs."""
    known = {**settings.model_dump(exclude_unset=True), "model": name, "model_url": small.provider.url}
    parts = wiring.connect(Settings.load(**known))
    vars(parts).update(heavy_parts, models={})
    yield parts
    parts.close()


@pytest.fixture
def kofi(settings: Settings, heavy_parts: dict[str, object], small: Model, harness: Harness) -> Iterator[Judged]:
    """Kofi, before he says anything."""
    with judging(settings, heavy_parts, small, "small") as parts, closing(replace(harness, parts=parts)) as live:
        wiring.register(parts)
        yield Judged(live, small=small)


@pytest.fixture
def patient(kofi: Judged) -> Judged:
    """Kofi took metformin and was told a day later not to; no rule connects the two texts."""
    kofi.tell(TAKES)
    kofi.tell(OFF, day=1)
    assert kofi.believed() == [BELIEVED, LEARNED]
    return kofi


def test_the_judge_is_shown_beliefs_that_rested_on_an_ended_belief(kofi: Judged) -> None:
    kofi.tell("I wear a cast on my broken wrist", "I dictate every email because of the broken wrist")
    kofi.tell("The cast is off", day=1)
    (dictates,) = kofi.believed()
    kofi.replying({"b": 2, "n": 2, "q": "The cast is off", "v": "ended", "sure": True})
    kofi.night()

    (shown,) = kofi.asked()
    assert "2 Kofi: The cast is off\n" in shown
    assert shown.endswith(f"\n2 {dictates}")
    assert kofi.decided() == [("delete", "slowwave.reconsider/model-ended@1", ["1-0", "0-1"])]


def test_a_verdict_ends_a_belief_and_cites_its_words(patient: Judged) -> None:
    patient.replying(ENDED)
    patient.night()

    assert patient.asked() == [f"SAID\n1 Kofi: {OFF}\nBELIEVED\n1 {BELIEVED}"]
    assert patient.believed() == [LEARNED]
    assert patient.decided() == [("delete", "slowwave.reconsider/model-ended@1", ["1-0", "0-0"])]
    spans = "SELECT span_start, span_end FROM delta_sources s JOIN deltas d ON d.id = s.delta WHERE d.scope = %s AND "
    span = patient.harness.rows(spans + "d.pack = '_reconsider' AND s.ordinal = 0", patient.scope.id)
    assert [OFF[start:end] for start, end in span] == [ENDED["q"]]
    before = patient.harness.parts.records.facts(patient.scope, as_of=NOON + timedelta(hours=1))
    assert BELIEVED in [fact.text for fact in before], "what was so stays so of its time"
    assert list(wiring.checks(patient.harness.parts.database).findings(folds=None)) == []


def test_the_judge_is_asked_once_per_scope_and_night(patient: Judged) -> None:
    assert patient.billed() == 0
    patient.night()
    patient.night()
    assert patient.billed() == 1, "the second night had no news"

    patient.tell("My sister told me that metformin is cheap", day=2)
    assert patient.billed() == 1
    patient.night()
    assert patient.billed() == 2


def test_unrelated_turns_cause_no_request(kofi: Judged) -> None:
    kofi.tell(TAKES)
    kofi.tell("The harbour pool opens at six on Mondays", day=1)
    kofi.night()
    kofi.night()

    assert kofi.asked() == []


def test_news_checked_by_day_is_judged_by_night(kofi: Judged) -> None:
    kofi.tell(TAKES)
    kofi.tell(OFF, "I finished the marathon", day=1)
    kofi.tell("Hello there", day=2)
    ran = "SELECT count(*) FROM runs WHERE scope = %s AND job = 'reconsider'"
    assert kofi.harness.value(ran, kofi.scope.id) == 1, "a change was told"
    assert kofi.asked() == []

    kofi.night()
    assert len(kofi.asked()) == 1


def test_a_belief_that_rules_ended_is_not_judged(kofi: Judged) -> None:
    kofi.tell("The flaky test test_invoice_rounding is driving me crazy at the end of every sprint")
    kofi.say("Finally passed test_invoice_rounding, it was DST", day=1)
    while due_work.run_next(kofi.harness.parts, owner="test", only=[PREPARE, CONSOLIDATE]) is not None:
        pass
    kofi.harness.rows(
        "UPDATE intents SET hastened = false, due = 'infinity' WHERE job = %s", RECONSIDER
    )  # the daytime run did not judge it
    (report,) = kofi.night()

    assert (report.deltas["delete"], report.counts.get("asked", 0)) == (1, 0)
    assert kofi.asked() == []


def test_each_scope_has_its_own_request(patient: Judged) -> None:
    other = replace(patient, scope=somebody())
    other.tell("I take lithium")
    other.tell("The doctor let me do without the lithium", day=1)
    patient.small.replies = [json.dumps({"verdicts": [ENDED, {**ENDED, "b": 2}]})] * 2
    patient.night()

    assert len(patient.small.asked) == 2
    assert all(("lithium" in shown) != ("metformin" in shown) for shown in patient.asked())
    assert patient.believed() == [LEARNED]
    assert "Kofi takes lithium" in other.believed(), "the words it cites were not said here"
    assert other.decided() == []


HOSTILE = {
    "a sentence nobody said": ({**ENDED, "q": "I threw the metformin away"}, "the words were not said"),
    "words of the belief": ({**ENDED, "q": "I take metformin"}, "the words were not said"),
    "no words": ({**ENDED, "q": ""}, "the words were not said"),
    "it names a fact that was not shown": ({**ENDED, "b": 9}, "it names a fact that was not shown"),
    "no number": ({**ENDED, "b": True}, "it names a fact that was not shown"),
    "it cites a turn that was not shown": ({**ENDED, "n": 0}, "it cites a turn that was not shown"),
    "an unknown verdict": ({**ENDED, "v": "forget everything"}, "it does not match the schema of a verdict"),
    "words that say nothing": ({**ENDED, "q": "me"}, "the quoted words have no content"),
    "no repetition": ({**ENDED, "v": "same"}, "the words also say something else"),
    "a wrong belief": (
        {**ENDED, "n": 2, "q": "washed the Honda Jazz"}, "the words have nothing to do with it"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("verdict", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_verdict_changes_nothing_and_is_kept_with_the_reason(
    kofi: Judged, verdict: dict[str, Any], reason: str
) -> None:
    kofi.tell(TAKES, "I drive a Honda Jazz to the office")
    kofi.tell(OFF, "I washed the Honda Jazz", day=1)
    before = kofi.believed()
    assert BELIEVED in before
    kofi.replying(verdict)
    kofi.night()

    assert kofi.billed() == 1
    assert kofi.believed() == before
    assert kofi.decided() == []
    (kept,) = kofi.harness.parts.records.rejected("default", most=10)
    assert (kept.pack, kept.reason) == ("_reconsider", reason)


WRONG = {
    "a neighbour": ("My neighbour was taken off the metformin by her doctor", "was taken off the metformin", "refused"),
    "an aunt": ("So my aunt takes metformin too and hates it", "takes metformin too and hates it", "refused"),
    "no change": ("I washed the metformin box with the sponge", "washed the metformin box", "asked"),
}


@pytest.mark.parametrize(("told", "quoted", "outcome"), WRONG.values(), ids=WRONG)
def test_a_sure_verdict_on_a_belief_that_shares_a_word_changes_nothing_by_itself(
    kofi: Judged, told: str, quoted: str, outcome: str
) -> None:
    kofi.tell(TAKES)
    kofi.tell(told, day=1)
    before = kofi.believed()
    assert BELIEVED in before
    kofi.replying({**ENDED, "q": quoted})
    kofi.night()

    assert kofi.billed() == 1
    assert kofi.believed() == before
    assert len(kofi.memory.review()) == (outcome == "asked")
    reasons = [kept.reason for kept in kofi.harness.parts.records.rejected("default", most=10)]
    assert reasons == (["the words are about somebody else"] if outcome == "refused" else [])


def test_no_combination_of_beliefs_and_words_ends_what_no_words_end(kofi: Judged) -> None:
    kofi.tell(TAKES, "I drive a Honda Jazz to the office", "I live in Leeds", "I teach the guitar on Mondays")
    said = [
        "I washed the Honda Jazz",
        "The trains to Leeds were late",
        "I tuned the guitar",
        "My uncle takes metformin",
    ]
    kofi.tell(*said, day=1)
    before = kofi.believed()
    pairs = itertools.product(range(1, 5), range(1, 7), said)
    kofi.replying(*({**ENDED, "b": b, "n": n, "q": words.partition(" ")[2]} for b, n, words in pairs))
    kofi.night()

    assert kofi.billed() == 1
    assert kofi.believed() == before
    assert kofi.decided() == []


def test_an_unsure_verdict_becomes_a_review(patient: Judged) -> None:
    patient.replying({**ENDED, "sure": False})
    patient.night()

    assert patient.believed() == [BELIEVED, LEARNED]
    assert patient.decided() == []
    (review,) = patient.memory.review()
    patient.memory.decide(review.number, "accept", by="a nurse")
    assert patient.believed() == [LEARNED]


def test_an_unreadable_verdict_is_requested_again_with_the_complaint(patient: Judged) -> None:
    patient.small.replies = ["they no longer take it", json.dumps({"verdicts": [ENDED]})]
    patient.night()

    assert patient.believed() == [LEARNED]


@pytest.mark.parametrize("refusal", ["400", "413"])
def test_a_refused_request_changes_no_belief_and_the_next_night_continues(patient: Judged, refusal: str) -> None:
    patient.small.provider.script = [refusal]
    assert [report.counts.get("dead") for report in patient.night()][-1] == 1
    assert patient.believed() == [BELIEVED, LEARNED]

    patient.tell("The doctor let me do without the metformin at my visit", day=2)
    patient.replying({**ENDED, "q": "do without the metformin at my visit"})
    patient.night()
    assert BELIEVED not in patient.believed()


def test_a_verdict_is_applied_once(patient: Judged) -> None:
    patient.replying(ENDED)
    patient.night()
    before = patient.digest()
    patient.tell("Hello there", day=2)
    patient.night()

    assert patient.digest() == before
    assert len(patient.decided()) == 1


def test_erased_words_are_not_sent_to_the_judging_model(patient: Judged) -> None:
    patient.replying(ENDED)
    patient.night(ask=False)
    with patient.harness.parts.database.tenant(patient.scope.tenant) as connection:
        assert len(erase(connection, patient.scope.id, [2])) == 1
    patient.harness.rows("DELETE FROM episodes WHERE scope = %s AND position = 2", patient.scope.id)
    patient.work()

    assert patient.small.asked == []
    assert patient.decided() == []
    kept = "SELECT count(*) FROM model_payloads WHERE words::text LIKE '%%without the metformin%%'"
    assert patient.harness.value(kept) == 0


def test_a_verdict_of_repetition_merges_two_beliefs(kofi: Judged) -> None:
    kofi.tell("I swim with Wei at the harbour pool on Mondays")
    kofi.tell("On Mondays I swim with Wei at the pool", day=1)
    before = kofi.believed()
    assert len(before) == 2
    kofi.replying({"b": 1, "n": 1, "q": "I swim with Wei at the pool", "v": "same", "sure": True})
    kofi.night()

    assert kofi.believed() == ["Kofi swims with Wei at the harbour pool on Mondays"]
    assert [kind for kind, *_ in kofi.decided()] == ["noop", "delete"]


def test_facts_learned_during_a_request_are_judged_the_next_night(kofi: Judged) -> None:
    kofi.tell(TAKES, "I keep a harpsichord in the hall")
    kofi.tell(OFF, day=1)
    kofi.night(ask=False)
    kofi.tell("My niece has the harpsichord", day=2, ask=False)
    kofi.night()
    kofi.night()

    assert ["niece" in shown for shown in kofi.asked()] == [False, True]
