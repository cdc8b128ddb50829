"""Matching words are erased that only a model wrote, or that only a model was sent; nobody's episodes are."""

from collections.abc import Iterator

import psycopg
import pytest
from pydantic import SecretStr

from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.store.encryption.cipher import new_master_key
from tests.contract.summaries.harness import Model, grow, said, say, small, sum_up, telling

__all__ = ["small"]
SAID = ("I feel very sad these days.", "I like figs.")


@pytest.fixture(params=[False, True], ids=["plain", "encrypted"])
def alice(
    request: pytest.FixtureRequest, settings: Settings, heavy_parts: dict[str, object], small: Model, scope: Scope
) -> Iterator[MemoryScope]:
    """A user whose session a model sums up, with and without encryption."""
    keys = {"encryption_keys": SecretStr(new_master_key())} if request.param else {}
    with telling(settings, heavy_parts, small, **keys) as parts:
        yield say(parts, scope, *SAID)


def texts(superuser: psycopg.Connection) -> dict[str, int]:
    """Return how many texts of models are stored, by column."""
    columns = ("model_summaries.lines", "model_replies.raw", "model_rejected.said", "model_payloads.words")
    counts = {}
    for one in columns:
        table, column = one.split(".")
        ((counts[one],),) = superuser.execute(f"SELECT count({column}) FROM {table}".encode()).fetchall()
    return {name: count for name, count in counts.items() if count}


def test_words_of_a_model_summary_are_erased(alice: MemoryScope, small: Model, superuser: psycopg.Connection) -> None:
    small.replies = [said({"text": "It is known: there is some melan\u00e7holy here.", "from": [1]})]
    sum_up(alice)
    assert "melan\u00e7holy" in alice.summary("s1").text

    receipt = alice.forget(matching="MELAN\u00c7HOLY", rewrite=False)

    assert texts(superuser) == {}
    assert len(receipt.calls) == 1
    assert alice.summary("s1").by == "extract"
    assert {one.content for one in alice.recent()} == set(SAID)
    sum_up(alice)
    assert len(small.asked) == 1, "the model would write the same words"
    say(parts_of(alice), alice.scope, "I like plums.", start=2)
    sum_up(alice)
    assert alice.summary("s1").by == "model small"


def test_words_of_a_refused_claim_are_erased(alice: MemoryScope, small: Model, superuser: psycopg.Connection) -> None:
    small.replies = [said({"text": "He lives in Zwolle with Egon.", "from": [1]})]
    sum_up(alice)
    assert texts(superuser).keys() >= {"model_rejected.said", "model_replies.raw"}

    alice.forget(matching="zwolle", rewrite=False)

    assert texts(superuser) == {}
    assert {one.content for one in alice.recent()} == set(SAID)


def test_an_erased_request_is_asked_again(alice: MemoryScope, small: Model, superuser: psycopg.Connection) -> None:
    sum_up(alice, ask=False)
    assert texts(superuser) == {"model_payloads.words": 1}

    alice.forget(matching="2026-03-02 user: I feel", rewrite=False)  # a prompt quotes a turn with its date

    assert texts(superuser) == {}
    sum_up(alice)
    rows = superuser.execute("SELECT state, round FROM model_requests ORDER BY round").fetchall()
    assert rows == [("erased", 0), ("answered", 1)]
    assert alice.summary("s1").by == "model small"


def test_words_of_the_tree_are_erased(alice: MemoryScope, small: Model, superuser: psycopg.Connection) -> None:
    for session, *sentences in (("s2", "My dog Rex eats fish."), ("s3", "I play the cello.")):
        say(parts_of(alice), alice.scope, *sentences, session=session)
    sum_up(alice)
    small.replies = [said({"text": "It is known: there is some melancholy here.", "from": [1]})]
    grow(alice)
    assert any("melancholy" in node.text for node in alice.tree.nodes(99))

    alice.forget(matching="melancholy", rewrite=False)

    assert not any("melancholy" in node.text for node in alice.tree.nodes(99))
    grow(alice)
    assert any(node.by == "model small" for node in alice.tree.nodes(99) if node.level)
    assert not any("melancholy" in node.text for node in alice.tree.nodes(99))
