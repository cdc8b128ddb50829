"""A question restated before recall: by names and predicates, by a made-up answer, by filters."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from slowwave import wiring
from slowwave.domain.model_calls.chunk import Message
from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope
from slowwave.settings import Settings
from tests.conftest import NOON
from tests.faults.rig.provider import LocalProvider, answering

Asked = Callable[..., AbstractContextManager[MemoryScope]]
TOLD = [("The tulips came out.", 0), ("We bought a cello.", 1), ("The physician forbade penicillin.", 2)]


@pytest.fixture
def asking(settings: Settings, heavy_parts: dict[str, object]) -> Asked:
    """Somebody's memory, a turn a day, in a process whose questions are restated."""

    @contextmanager
    def ask(restate: str, provider: LocalProvider | None = None, **more: Any) -> Iterator[MemoryScope]:
        model = {"model": "echo-1", "model_url": provider.url, "model_key": SecretStr("k")} if provider else {}
        told = {"restate": restate, **model, **more}
        parts = wiring.connect(Settings.load(**{**settings.model_dump(exclude_unset=True), **told}))
        vars(parts).update(heavy_parts)
        wiring.register(parts)
        with Memory(parts) as memory:
            scope = memory.scope("alice", agent="concierge")
            for said, day in TOLD:
                scope.push(said, key=f"k{day}", session=f"s{day}", occurred_at=NOON + timedelta(days=day))
            yield scope

    return ask


def saying(**said: Any) -> Callable[[Sequence[Message]], str]:
    return lambda _: json.dumps(said)


def reasons(alice: MemoryScope, question: str) -> set[str]:
    """Return which reasons of a restating all answers name."""
    found = alice.recall(question)
    assert len(found) == len(TOLD), "without a filter everything answers"
    return set.intersection(*({*one.reasons} for one in found)) & {
        f"{way}{away}" for way in ("expansion", "hyde", "self_query") for away in ("", "_away")
    }


@pytest.mark.requirement("S2.21")
def test_a_hypothetical_answer_finds_a_memory_without_the_questions_words(asking: Asked) -> None:
    question = "Is anything to be kept in mind?"
    with answering(replies=saying(passage="My doctor told me not to take antibiotics.")) as provider:
        with asking("", provider) as alice:
            assert alice.recall(question)[0].text != TOLD[2][0]
            assert reasons(alice, question) == set()
            assert provider.met == []
        with asking("hyde", provider) as alice:
            (best, *_) = alice.recall(question)
            assert (best.text, best.reasons["hyde"]) == (TOLD[2][0], 1.0)
            assert provider.met == ["ok"]


@pytest.mark.requirement("S2.21")
def test_filters_are_read_out_of_the_question_and_never_go_beyond_the_callers(asking: Asked) -> None:
    until = NOON + timedelta(hours=1)
    first = saying(since=NOON.replace(tzinfo=None).isoformat(), until=until.isoformat(), kinds=["episode"])
    with answering(replies=first) as provider, asking("self_query", provider) as alice:
        assert [(one.text, one.reasons["self_query"]) for one in alice.recall("what came out?")] == [(TOLD[0][0], 1.0)]
        later = alice.recall("what came out?", since=NOON + timedelta(days=1))
        assert {one.text for one in later} == {TOLD[1][0], TOLD[2][0]}
        assert [one.text for one in alice.recall("what came out?", until=NOON + timedelta(minutes=1))] == [TOLD[0][0]]


def test_model_filters_without_results_are_dropped(asking: Asked) -> None:
    never = saying(since="1970-01-01", until="1971-01-01", kinds=None)
    with answering(replies=never) as provider, asking("self_query", provider) as alice:
        assert len(alice.recall("what came out?")) == len(TOLD)
        assert provider.met == ["ok"]


def test_query_rewriting_and_filters_share_one_call(asking: Asked) -> None:
    both = saying(passage="My doctor told me not to take antibiotics.", since=None, until=None, kinds=None)
    with answering(replies=both) as provider, asking("hyde, self_query, expansion", provider) as alice:
        assert reasons(alice, "Anything to be kept in mind?") == {"hyde", "self_query", "expansion"}
        assert provider.met == ["ok"]


def test_a_failing_model_drops_only_its_part_and_is_named_in_the_reasons(asking: Asked, superuser: Any) -> None:
    sound = saying(passage="A physician.", since=None, until=None, kinds=None)
    question = "What did the physician forbid?"
    for how in ("hang", "garbage", "truncated", "500", "400", "429"):
        with answering([how], replies=sound) as provider:
            with asking("hyde,self_query,expansion", provider, restate_seconds=0.3) as alice:
                assert reasons(alice, question) == {"hyde_away", "self_query_away", "expansion"}, how
            provider.over.set()
    with answering(["500"] * 9, replies=sound) as provider, asking("hyde", provider) as alice:
        assert [reasons(alice, question) for _ in range(5)] == [{"hyde_away"}] * 5
        assert provider.met == ["500"] * 3, "the breaker is open"
    assert superuser.execute("SELECT count(call) FROM model_slots").fetchone() == (0,)


def test_invalid_model_filters_are_ignored(asking: Asked) -> None:
    for said in (
        {"since": "soon", "until": None, "kinds": None}, {"since": 3, "until": None, "kinds": None},
        {"since": "2026-05-02", "until": "2026-05-01", "kinds": None}, {"since": None, "until": None},
        {"since": None, "until": None, "kinds": ["rumour"]}, {"since": None, "until": None, "kinds": "fact"},
    ):  # fmt: skip
        with answering(replies=saying(**said)) as provider, asking("self_query", provider) as alice:
            assert reasons(alice, "What did the physician forbid?") == {"self_query_away"}, said


def test_rewriting_without_a_model_is_reported_in_the_reasons(asking: Asked) -> None:
    with asking("hyde,expansion") as alice:
        assert reasons(alice, "What did the physician forbid?") == {"hyde_away", "expansion"}


@pytest.mark.requirement("S2.21")
def test_expansion_adds_a_statement_and_the_aliases_of_a_name(asking: Asked) -> None:
    with asking("expansion") as alice:
        alice.graph.store_fact("Robert Miller", "name", "Bob")
        alice.push("Robert Miller is afraid of bees.", key="bee", session="s8")
        found = alice.recall("What is Bob afraid of?", kinds=["episode"])
        assert (found[0].text, found[0].reasons["expansion"]) == ("Robert Miller is afraid of bees.", 1.0)
        with_names = found[0].reasons["keyword"]
    with asking("") as alice:
        plain = alice.recall("What is Bob afraid of?", kinds=["episode"])
        assert next(one for one in plain if "bees" in one.text).reasons["keyword"] < with_names


def test_an_unknown_rewriting_method_is_refused() -> None:
    with pytest.raises(Incorrect, match="restate"):
        Settings.load(url="postgresql://slowwave@host/slowwave", restate="guessing, hyde")
