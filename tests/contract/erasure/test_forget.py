"""An erasure removes the named memories from every row and nothing else; the ledger still proves the rest."""

import json
from dataclasses import asdict
from typing import Any

import psycopg
import pytest

from slowwave import wiring
from slowwave.domain.erasure import Erasure
from slowwave.errors import Conflict, Incorrect, NotFound
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from tests.contract.erasure.planting import PET, SPORT, TASK, TOWN, WORDS, found, live, told


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
