"""A replay asks a model for missing replies through the queue of all calls; what was paid is never paid again."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from slowwave.domain.model_calls import Message
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, Unavailable
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.undoing import asking
from slowwave.memory.undoing.replaying import pack_for
from slowwave.rules.folders import default_roots
from slowwave.settings import Settings
from slowwave.store import model_requests
from tests.contract.harness import Harness
from tests.faults.rig.provider import LocalProvider, answering
from tests.integration.cli.test_dry_runs import other_reader
from tests.integration.steps import learn, process

ALICE, BOB = Scope("default", "alice", "a"), Scope("default", "bob", "a")
TOLD = ("I like tea.", "I like milk.", "I like rice.")
Later = Callable[..., AbstractContextManager[Memory]]


def liking(*but: str) -> Callable[[Sequence[Message]], str]:
    """A model that claims each like in the turns, except those of *but*."""

    def reply(messages: Sequence[Message]) -> str:
        found = re.findall(r"^(\d+)\b.*I like (\w+)", messages[1]["content"].partition("TALK, ")[2], re.MULTILINE)
        likes = [{"n": int(n), "s": "user", "p": "likes", "o": one, "q": f"like {one}"} for n, one in found]
        return json.dumps({"claims": [one for one in likes if one["o"] not in but]})

    return reply


@pytest.fixture
def provider() -> Iterator[LocalProvider]:
    with answering(replies=liking()) as provider:
        yield provider


@pytest.fixture
def later(harness: Harness, settings: Settings, heavy_parts: dict[str, object], provider: LocalProvider,
          tmp_path: Path) -> Later:  # fmt: skip
    """A process with another prompt, after the shipped reader has read three sessions of Alice."""
    model = {"model": "echo", "model_url": provider.url, "statements": False}
    with process(settings, heavy_parts, **model) as parts:
        for number, said in enumerate(TOLD):
            learn(MemoryScope(parts, ALICE), said, session=f"s{number}", key=f"k{number}")
    assert provider.billed.total() == len(TOLD)
    assert likes(harness) == ["milk", "rice", "tea"]
    provider.billed.clear()
    provider.met.clear()
    provider.replies = liking("milk")
    other_reader(tmp_path / "packs")

    @contextmanager
    def connect(**changed: Any) -> Iterator[Memory]:
        with process(settings, heavy_parts, **model, rules=tmp_path / "packs", **changed) as parts:
            yield Memory(parts)

    return connect


def of(memory: Memory, scope: Scope = ALICE) -> MemoryScope:
    return memory.scope(scope.user, agent=scope.agent)


def likes(harness: Harness, scope: Scope = ALICE) -> list[str]:
    """Return what a user likes now."""
    return sorted(fact.object for fact in harness.parts.records.facts(scope) if fact.predicate == "likes")


def states(harness: Harness) -> list[str]:
    """Return the states of the requests that the replays made."""
    return harness.column(
        "SELECT state FROM model_requests r WHERE NOT EXISTS (SELECT FROM model_chunks c WHERE c.request = r.request) "
        "ORDER BY created, positions, request"
    )


def test_missing_replies_are_asked_for_once_and_then_compared_and_swapped(
    harness: Harness, later: Later, provider: LocalProvider
) -> None:
    with later() as memory:
        with pytest.raises(Incorrect, match=r"3 requests of reader@.* have no reply yet") as refused:
            of(memory).replay("reader")
        assert "--ask" in str(refused.value.hint)
        assert (provider.billed.total(), states(harness)) == (0, [])

        seen = of(memory).replay("reader", ask=True, preview=True)

        assert [one.text for one in seen.withdrawn] == ["The user likes milk"]
        assert (provider.billed.total(), likes(harness)) == (3, ["milk", "rice", "tea"])
        done = of(memory).replay("reader", ask=True)
        assert (provider.billed.total(), states(harness)) == (3, ["answered"] * 3)
        assert (likes(harness), len(done.runs)) == (["rice", "tea"], 1)
        assert of(memory).replay("reader").runs == ()
        memory.undo(done.id)
        assert likes(harness) == ["milk", "rice", "tea"]
    assert harness.rows("SELECT reserved_tokens FROM model_budgets") == [(0,)]


@pytest.mark.parametrize(("user", "told"), [
    (None, "the tenant's budget for models is used up"),
    ("alice", "the quota of user alice for model calls is used up"),
])  # fmt: skip
def test_a_budget_or_quota_that_ends_in_the_middle_keeps_what_was_paid(
    harness: Harness, later: Later, provider: LocalProvider, user: str | None, told: str
) -> None:
    with later() as memory:
        (first, *_) = asking.missing(memory._parts, ALICE, pack_for(memory._parts, "reader"))
        spent: int = harness.value("SELECT spent_tokens FROM model_budgets")
        room = 1 if user else first.chunk.prompt_tokens + first.chunk.most_tokens
        memory.quotas.set("tokens-a-day", spent + room, user=user)

        with pytest.raises(Unavailable, match=rf"of reader@.* have no reply yet: {told}") as refused:
            of(memory).replay("reader", ask=True)

        paid = provider.billed.total()
        assert str(refused.value.hint).startswith("replies are kept")
        assert 0 < paid < 3
        assert states(harness).count("answered") == paid
        assert likes(harness) == ["milk", "rice", "tea"]
        memory.quotas.set("tokens-a-day", 10**9, user=user)
        of(memory).replay("reader", ask=True)
        assert (provider.billed.total(), likes(harness)) == (3, ["rice", "tea"])


def test_an_unreachable_model_leaves_everything_to_a_repeat(
    harness: Harness, later: Later, provider: LocalProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "STALLED_SECONDS", 0.3)
    provider.script += ["ok", *["500"] * 99]
    with later() as memory:
        with pytest.raises(Unavailable, match=r"2 requests of reader@.* have no reply yet: no reply came in time"):
            of(memory).replay("reader", ask=True)
        assert (likes(harness), states(harness)) == (["milk", "rice", "tea"], ["answered", "pending", "pending"])

        provider.script.clear()
        harness.rows("UPDATE model_breakers SET open_until = '-infinity' RETURNING 1")
        monkeypatch.setattr(asking, "STALLED_SECONDS", 60.0)
        of(memory).replay("reader", ask=True)

        assert (provider.billed.total(), likes(harness)) == (3, ["rice", "tea"])


def test_a_refused_request_is_named_and_asked_again_by_a_repeat(
    harness: Harness, later: Later, provider: LocalProvider
) -> None:
    provider.script += ["ok", "400"]
    with later() as memory:
        with pytest.raises(
            Incorrect, match=r"1 request of reader@.* got no reply that can be read: refused: "
        ) as error:
            of(memory).replay("reader", ask=True)
        assert "a repeat asks the model again" in str(error.value.hint)
        assert (likes(harness), provider.billed.total()) == (["milk", "rice", "tea"], 2)

        of(memory).replay("reader", ask=True)

        assert (likes(harness), provider.billed.total()) == (["rice", "tea"], 3)
        assert states(harness) == ["answered", "dead", "answered", "answered"]


def test_a_reply_that_was_cut_off_is_asked_for_in_halves(
    harness: Harness, later: Later, provider: LocalProvider
) -> None:
    with later() as memory:
        of(memory, BOB).push_many([{"content": said, "key": said, "session": "s"} for said in TOLD])
        of(memory, BOB).consolidate()
        assert likes(harness, BOB) == ["rice", "tea"]
        harness.rows("UPDATE model_requests SET state = 'dead' WHERE scope = %s RETURNING 1", BOB.id)
        provider.met.clear()
        provider.script += ["truncated"]

        of(memory, BOB).replay("reader", ask=True)

        assert provider.met == ["truncated", "ok", "ok"]
        assert likes(harness, BOB) == ["rice", "tea"]


def test_requests_whose_replies_come_from_files_wait_for_them(
    harness: Harness, later: Later, provider: LocalProvider
) -> None:
    with later() as memory:
        parts = memory._parts
        there = parts.provider
        vars(parts).update(provider=None, asker=None)
        with pytest.raises(Unavailable, match=r"3 requests of reader@.* yet: `slowwave model requests` exports them"):
            of(memory).replay("reader", ask=True)
        assert [one.pack for one in parts.batches.pending("default", most=9)] == ["reader"] * 3

        vars(parts).update(provider=there)
        vars(parts).pop("asker")
        memory.drain()

        assert provider.billed.total() == 3, "others send what waits in the queue"
        assert of(memory).replay("reader").withdrawn != ()


def test_the_scopes_of_a_tenant_are_asked_about_one_by_one_and_those_without_replies_are_named(
    harness: Harness, later: Later, provider: LocalProvider, settings: Settings, heavy_parts: dict[str, object]
) -> None:
    model = {"model": "echo", "model_url": provider.url, "statements": False, "rules": default_roots()[0]}
    provider.replies = liking()
    with process(settings, heavy_parts, **model) as parts:
        learn(MemoryScope(parts, BOB), *TOLD[:2], session="s")
    provider.replies = liking("milk")
    with later() as memory:
        memory.quotas.set("tokens-a-day", 1, user="bob")

        done = memory.replay("reader", ask=True)

        assert [(one.scope, one.problem.rpartition(": ")[2]) for one in done.skipped] == [
            (BOB, "the quota of user bob for model calls is used up for today")
        ]
        assert (likes(harness), likes(harness, BOB)) == (["rice", "tea"], ["milk", "tea"])
        memory.quotas.remove("tokens-a-day", user="bob")
        assert memory.replay("reader", ask=True).skipped == ()
        assert likes(harness, BOB) == ["tea"]


def test_words_that_are_erased_before_a_request_is_placed_do_not_enter_the_queue(
    harness: Harness, later: Later, provider: LocalProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    erased = list[object]()
    with later() as memory:

        def late(*arguments: Any) -> None:
            if not erased:
                erased.append(memory.forget(matching="milk", rewrite=False))
            model_requests.place(*arguments)

        monkeypatch.setattr(asking, "place", late)
        of(memory).replay("reader", ask=True)

    assert "milk" not in str(harness.rows("SELECT words FROM model_payloads"))
    assert (provider.billed.total(), likes(harness)) == (2, ["rice", "tea"])
