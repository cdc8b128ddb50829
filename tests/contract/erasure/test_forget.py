"""An erasure removes the named memories from every row, also words that lie in one place alone, and nothing else."""

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr

from slowwave import wiring
from slowwave.broker import queue
from slowwave.domain.dead_letter import Refused
from slowwave.domain.episode import Episode
from slowwave.domain.erasure import Erasure
from slowwave.domain.model_calls import Chunk, Words
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Incorrect, NotFound
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.ports.model_calls import CallTerms, Outcome
from slowwave.settings import Settings
from slowwave.store.model_calls.call_queue import PostgresSynchronousCalls
from tests.contract.erasure.planting import PET, SPORT, TASK, TOWN, WORDS, found, live, told
from tests.integration.store.rows import insert, row


def vars_of(receipt: Erasure) -> dict[str, Any]:
    """Return a receipt as the JSON object that is kept as a file."""
    return dict(json.loads(json.dumps(asdict(receipt), default=str)))


@pytest.fixture
def plumkin(talkative: Memory) -> MemoryScope:
    """A user with memories in every place."""
    return live(talkative, "Plumkin", session="tryst")


def findings(memory: Memory) -> list[str]:
    """Return the findings of `slowwave check`."""
    return [str(one) for one in wiring.checks(parts_of(memory).database).findings(folds=None)]


def test_a_user_is_forgotten_with_every_word_and_name(
    talkative: Memory, plumkin: MemoryScope, superuser: psycopg.Connection
) -> None:
    live(talkative, "Grundel", session="other")
    before = found(superuser, ["Grundel"])

    receipt = talkative.forget(user="Plumkin", rewrite=False)

    assert found(superuser, ["Plumkin", "tryst"]) == {}
    assert found(superuser, ["Grundel"]) == before
    assert receipt.erased is not None
    assert receipt.rewritten is None
    assert receipt.counts["episodes"] > 10
    assert plumkin.facts() == []
    assert findings(talkative) == []
    talkative.drain()
    assert findings(talkative) == []


def test_a_session_is_forgotten_and_the_other_stays(
    talkative: Memory, plumkin: MemoryScope, superuser: psycopg.Connection
) -> None:
    receipt = talkative.forget(user="Plumkin", session="tryst-one", rewrite=False)

    assert found(superuser, [PET, "tryst-one"]) == {}
    elsewhere = {"audit_log", "goals", "consensus", "dead_letters", "delta_payloads", "undos", "legal_holds"}
    assert found(superuser, [TOWN]).keys() == elsewhere
    assert [one.text for one in plumkin.facts() if TOWN in one.text or PET in one.text] == []
    assert any(SPORT in one.text for one in plumkin.facts())
    assert receipt.kind == "session"
    assert findings(talkative) == []
    talkative.drain()
    assert findings(talkative) == []


def test_matching_words_are_erased_everywhere(
    talkative: Memory, plumkin: MemoryScope, superuser: psycopg.Connection
) -> None:
    talkative.forget(matching=TOWN.lower(), rewrite=False)

    assert found(superuser, [TOWN]) == {}
    assert any(SPORT in one.text for one in plumkin.facts())
    assert findings(talkative) == []


def test_erasing_a_fact_erases_its_source_words_and_it_is_not_learned_again(
    talkative: Memory, plumkin: MemoryScope, superuser: psycopg.Connection
) -> None:
    fact = next(one for one in plumkin.facts() if one.object == TOWN and one.predicate == "lives_in")

    talkative.forget(fact=fact.id, rewrite=False)

    assert [one.text for one in plumkin.facts() if one.id == fact.id] == []
    assert found(superuser, [f"moved to {TOWN}"]).get("episodes") is None
    plumkin.push(f"I moved to {TOWN} last week.", session="later", speaker="Plumkin")
    plumkin.consolidate()
    assert [one.text for one in plumkin.facts() if one.predicate == "lives_in" and one.object == TOWN] == []
    assert findings(talkative) == []


def test_a_preview_changes_nothing_and_its_token_confirms_exactly_that(
    talkative: Memory, plumkin: MemoryScope, superuser: psycopg.Connection
) -> None:
    before, digest = found(superuser, WORDS), plumkin.digest()

    seen = talkative.forget(user="Plumkin", preview=True)

    assert (found(superuser, WORDS), plumkin.digest()) == (before, digest)
    assert seen.counts["episodes"] == 13
    assert any(TOWN in one for one in seen.facts)
    plumkin.push("One more thing.", session="tryst-two")
    with pytest.raises(Conflict, match="erase something else than"):
        talkative.forget(user="Plumkin", confirm=seen.token, rewrite=False)
    again = talkative.forget(user="Plumkin", preview=True)
    assert talkative.forget(user="Plumkin", confirm=again.token, rewrite=False).erased is not None


def test_a_legal_hold_refuses(talkative: Memory, plumkin: MemoryScope, superuser: psycopg.Connection) -> None:
    before, hold = found(superuser, WORDS), plumkin.hold("a lawsuit")

    assert talkative.forget(user="Plumkin", preview=True).under_legal_hold
    with pytest.raises(Conflict, match="a legal hold covers"):
        talkative.forget(user="Plumkin", rewrite=False)

    assert found(superuser, WORDS) == before
    talkative.release(hold)
    talkative.forget(user="Plumkin", rewrite=False)
    assert found(superuser, ["Plumkin"]) == {}


def test_an_erased_key_is_not_stored_again_and_new_episodes_of_the_user_are(
    talkative: Memory, plumkin: MemoryScope, superuser: psycopg.Connection
) -> None:
    talkative.forget(user="Plumkin", rewrite=False, learn_again=True)

    receipts = plumkin.push_many(told("Plumkin", "tryst"))

    assert all(one.error is None and one.repeated for one in receipts)
    assert found(superuser, [TOWN, TASK]) == {}
    plumkin.push("I moved to Bergen.", key="back", session="new", speaker="Plumkin")
    plumkin.consolidate()
    assert [one.name for one in talkative.operator().people()] == ["Plumkin", "Wossname"]
    assert any("Bergen" in one.text for one in plumkin.facts())
    assert findings(talkative) == []


@pytest.mark.usefixtures("plumkin")
def test_a_receipt_is_signed_and_holds_no_content(talkative: Memory) -> None:
    receipt = talkative.forget(user="Plumkin", rewrite=False)

    assert talkative.verify_erasure(receipt)
    assert talkative.erasures() == [receipt]
    assert not talkative.verify_erasure({**vars_of(receipt), "scopes": 99})
    assert not any(word in str(vars_of(receipt)) for word in ("Plumkin", "tryst", *WORDS))


@pytest.mark.usefixtures("plumkin")
def test_an_empty_or_ambiguous_erasure_is_refused(talkative: Memory) -> None:
    with pytest.raises(NotFound, match="nothing is remembered of that"):
        talkative.forget(user="nobody")
    with pytest.raises(NotFound, match="nothing is remembered of that"):
        talkative.scope("nobody").forget()
    with pytest.raises(Incorrect, match="nothing is named"):
        talkative.forget()
    with pytest.raises(Incorrect, match="session and matching: give only one of them"):
        talkative.forget(session="a", matching="words")


USER = "Plumkin"
MINE = Scope("default", USER, "helper")
Asked = dict[str, str]
Plant = Callable[[Memory], object]


@pytest.fixture
def everywhere(
    settings: Settings, heavy_parts: dict[str, object], cache_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Memory]:
    """A memory with a cache, a broker, an outbox and words in the audit log; Grundel lives in Bergen."""
    chosen = {
        "cache_url": SecretStr(cache_url), "audit": "verbose", "outbox": tmp_path_factory.mktemp("out") / "outbox.db",
        "reports": tmp_path_factory.mktemp("reports"),
    }  # fmt: skip
    parts = wiring.connect(settings.model_copy(update=chosen))
    vars(parts).update(heavy_parts, broker_url=cache_url)
    wiring.register(parts)
    with Memory(parts) as memory:
        other = memory.scope("Grundel", agent="helper")
        other.push("I live in Bergen.", session="other", key="home")
        other.consolidate()
        yield memory


def in_the_outbox(memory: Memory) -> None:
    outbox = parts_of(memory).outbox
    assert outbox is not None
    outbox.add(MINE, [Episode(content=f"I live in {TOWN}.", session="tryst")])


def in_a_message(memory: Memory) -> None:
    body = json.dumps([[], {"scope": {"user": USER}, "episodes": [{"session": "tryst", "content": TOWN}]}, {}])
    with queue.redis_client(parts_of(memory).broker_url or "") as broker:
        broker.rpush(queue.QUEUE, json.dumps({"body": base64.b64encode(body.encode()).decode()}))


def in_a_dead_letter(memory: Memory) -> None:
    item = {"user": USER, "session": "tryst", "content": TOWN}
    parts_of(memory).inbox.bury([Refused(item, "malformed", "no role")], scope=None)


def in_a_value(memory: Memory) -> None:
    memory.scope(USER, agent="helper").working("tryst").set("plan", {"to": [f"see\n{TOWN}"]})


def in_a_thought(memory: Memory) -> None:
    memory.scope(USER, agent="helper").working("tryst").push_thought(f"Is {TOWN} far?")


def in_an_audit_row(memory: Memory) -> None:
    memory.scope(USER, agent="helper").recall(f"who lives in {TOWN}?", session="tryst")


def in_the_reason_of_an_undo(memory: Memory) -> None:
    fact = next(one for one in memory.scope("Grundel", agent="helper").facts() if "Bergen" in one.text)
    memory.undo(fact.id, by="an operator", reason=f"{USER} lives in {TOWN}")
    memory.drain()


def in_the_name_beside_an_undo(memory: Memory) -> None:
    fact = next(one for one in memory.scope("Grundel", agent="helper").facts() if "Bergen" in one.text)
    memory.undo(fact.id, by=USER)
    memory.drain()


def in_the_reason_of_a_correction(memory: Memory) -> None:
    scope = memory.scope("Grundel", agent="helper")
    fact = next(one for one in scope.facts() if "Bergen" in one.text)
    scope.correct(fact.id, object="Oslo", by="an operator", reason=f"{USER} lives in {TOWN}")


def in_the_reason_of_a_promotion(memory: Memory) -> None:
    scope = memory.scope("Grundel", agent="helper", channel="trip")
    scope.push("I live in Oslo.", session="other")
    scope.consolidate()
    fact = next(one for one in scope.facts() if "Oslo" in one.text)
    scope.promote(fact.id, reason=f"{USER} says it in {TOWN}")


def in_the_reason_of_a_hold(memory: Memory) -> None:
    memory.release(memory.scope("Grundel", agent="helper").hold(f"a case of {USER} in {TOWN}"))


def in_the_reason_of_a_hold_of_the_tenant(memory: Memory) -> None:
    memory.release(memory.hold(None, f"a case of {USER} in {TOWN}"))


def in_a_quota(memory: Memory) -> None:
    parts_of(memory).quotas.set("default", "recalls-a-minute", 600, applies="user", user=USER)


def in_a_model_call(memory: Memory) -> None:
    calls = PostgresSynchronousCalls(parts_of(memory).database, CallTerms("a provider"))
    chunk = Chunk((), (), Words(()), 1, 1)
    taken = calls.begin("an agent", Scope("default", USER, "helper"), chunk, deadline_seconds=1)
    calls.end(taken, Outcome("failed", billed=False))


def in_a_webhook(memory: Memory) -> None:
    whose = {"user": USER, "agent": None, "channel": None}
    parts_of(memory).webhooks.add("default", "https://example.org/heard", "whsec_none", ["add"], whose)


def in_a_page(memory: Memory) -> None:
    page = reports_of(memory) / "default" / "2026-03-02.html"
    page.parent.mkdir(parents=True)
    page.write_text(f"<p>{USER}: in {TOWN}, &quot;yes&quot;</p>")


def reports_of(memory: Memory) -> Path:
    return Path(parts_of(memory).settings.reports or "")


SAID = ({"user": USER}, {"matching": TOWN.upper()})
TALKED = (*SAID, {"session": "tryst"}, {"user": USER, "session": "tryst"}, {"user": USER, "matching": TOWN})
ALONE: list[tuple[Plant, str, Asked]] = [
    *((plant, place, asked) for asked in TALKED for plant, place in (
        (in_the_outbox, "outbox"), (in_a_message, "messages"), (in_a_dead_letter, "dead_letters"),
        (in_a_value, "working_memory"), (in_a_thought, "working_memory"),
    )),
    *((in_an_audit_row, "audit_log", asked) for asked in ({"session": "tryst"}, *SAID)),
    *((plant, place, asked) for asked in SAID for plant, place in (
        (in_the_reason_of_an_undo, "undos"), (in_the_reason_of_a_correction, "delta_payloads"),
        (in_the_reason_of_a_promotion, "promotions"), (in_the_reason_of_a_promotion, "delta_payloads"),
        (in_the_reason_of_a_hold, "legal_holds"), (in_the_reason_of_a_hold_of_the_tenant, "legal_holds"),
        (in_a_page, "reports"),
    )),
    *((plant, place, {"user": USER}) for plant, place in (
        (in_the_name_beside_an_undo, "undos"), (in_a_quota, "quotas"), (in_a_webhook, "webhooks"),
        (in_a_model_call, "model_calls"),
    )),
]  # fmt: skip


def held_outside(memory: Memory) -> str:
    """Return everything in the cache, in the broker and in the outbox."""
    parts = parts_of(memory)
    assert parts.outbox is not None
    held = [str(one.episode) for one in [*parts.outbox.first(9), *parts.outbox.refused()]]
    with queue.redis_client(parts.broker_url or "") as client:
        for key in client.scan_iter():
            match client.type(key):
                case "list":
                    held += client.lrange(key, 0, -1)
                case "string":
                    held.append(str(client.get(key)))
    return " ".join(held)


@pytest.mark.parametrize(
    ("plant", "place", "asked"), ALONE, ids=[f"{plant.__name__}-{'-'.join(asked)}" for plant, _, asked in ALONE]
)
def test_words_in_one_place_alone_are_erased(
    everywhere: Memory, superuser: psycopg.Connection, plant: Plant, place: str, asked: Asked
) -> None:
    plant(everywhere)
    words = [USER] if asked.keys() == {"user"} else [TOWN]

    seen = everywhere.forget(**asked, preview=True)  # type: ignore[arg-type]
    receipt = everywhere.forget(**asked, confirm=seen.token, rewrite=False)  # type: ignore[arg-type]

    assert seen.counts[place] >= 1
    assert receipt.counts[place] >= 1
    assert receipt.erased is not None
    assert found(superuser, words) == {}
    assert TOWN not in held_outside(everywhere)
    assert findings(everywhere) == []
    everywhere.drain()
    assert found(superuser, words).get("episodes") is None
    assert everywhere.forget(**asked, rewrite=False).id == receipt.id  # type: ignore[arg-type]


def test_a_request_that_nothing_contains_is_not_found(everywhere: Memory) -> None:
    for asked in ({"user": "Nobody"}, {"session": "none"}, {"matching": "Nowhere"}):
        for preview in (True, False):
            with pytest.raises(NotFound, match="nothing is remembered of that"):
                everywhere.forget(**asked, preview=preview)  # type: ignore[arg-type]
    assert everywhere.erasures() == []


@pytest.mark.parametrize("asked", SAID, ids=["user", "matching"])
def test_the_reason_of_a_canary_is_emptied(everywhere: Memory, superuser: psycopg.Connection, asked: Asked) -> None:
    said = {"version": 2, "verdict": "promoted", "by_whom": USER, "reason": f"asked for by {USER} in {TOWN}"}
    insert(superuser, "canaries", row(superuser, "canaries", "_system", pack="everyday", **said))

    receipt = everywhere.forget(**asked, rewrite=False)  # type: ignore[arg-type]

    assert receipt.counts["canaries"] == 1
    assert found(superuser, [TOWN, USER]) == {}


def test_a_name_is_forgotten_before_anything_was_pushed(memory: Memory, superuser: psycopg.Connection) -> None:
    in_a_quota(memory)

    memory.forget(user=USER, rewrite=False)

    assert found(superuser, [USER]) == {}


def test_a_removed_quota_leaves_no_name(memory: Memory, superuser: psycopg.Connection) -> None:
    in_a_quota(memory)

    parts_of(memory).quotas.remove("default", "recalls-a-minute", applies="user", user=USER)

    assert found(superuser, [USER]) == {}


def test_a_tenant_that_has_only_working_memory_can_confirm_an_erasure(everywhere: Memory) -> None:
    everywhere.scope(USER, agent="helper", tenant="new").working("tryst").set("plan", f"to {TOWN}")

    token = everywhere.forget(user=USER, preview=True, tenant="new").token

    assert token is not None
    assert everywhere.forget(user=USER, confirm=token, tenant="new", rewrite=False).counts.keys() == {"working_memory"}


def test_numbers_and_names_of_agents_match(everywhere: Memory, superuser: psycopg.Connection) -> None:
    scope = everywhere.scope("Grundel", agent="helper")
    scope.push("Call me.", session="other", metadata={"phone": 471199})
    scope.consensus.store_consensus({"topic": "tea", "statement": "It is fine.", "agents": [USER], "confidence": 0.9})
    scope.strategies.learn_strategy("brewing", "boil water", [f"kettle of {USER}"], "other", True)

    everywhere.forget(matching="471199", rewrite=False)
    everywhere.forget(matching=USER, rewrite=False)

    assert found(superuser, ["471199", USER]) == {}


def test_a_conversation_keeps_what_does_not_match(everywhere: Memory) -> None:
    working = everywhere.scope(USER, agent="helper").working("tryst")
    working.set("plan", f"to {TOWN}")
    working.set(TOWN, "a town")
    working.set("food", "fish")
    working.push_thought(f"Is {TOWN} far?")
    working.push_thought("Is it late?")

    everywhere.forget(matching=TOWN, rewrite=False)

    assert working.get_context().values == {"food": "fish"}
    assert working.get_thoughts() == ["Is it late?"]


@pytest.mark.parametrize("asked", ["Jos\u00e9  plumkinsson", "JOSE\u0301\nPLUMKINSSON"])
def test_equal_words_match_in_every_place(everywhere: Memory, superuser: psycopg.Connection, asked: str) -> None:
    said = "Jose\u0301   Plumkinsson"
    everywhere.scope("Grundel", agent="helper").push(f"I met {said}.", session="other")
    parts = parts_of(everywhere)
    assert parts.outbox is not None
    parts.outbox.add(MINE, [Episode(content=f"Hello {said}", session="tryst")])
    parts.inbox.bury([Refused({"content": said}, "malformed", "no role")], scope=None)
    everywhere.scope(USER, agent="helper").working("tryst").set("plan", f"to meet {said}")

    receipt = everywhere.forget(matching=asked, rewrite=False)

    assert receipt.counts.keys() >= {"episodes", "outbox", "dead_letters", "working_memory"}
    assert found(superuser, ["Plumkinsson"]) == {}
    assert "Plumkinsson" not in held_outside(everywhere)
