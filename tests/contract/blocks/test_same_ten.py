"""The first ten results from blocks equal those of a full scan, on talk that repeats itself."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from slowwave.core.blocks import codes, estimate
from slowwave.domain.episode import Episode
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.retrieval.recall import along_relations, between_named, recall
from slowwave.store.blocks.block_cache import BLOCK_CACHE
from slowwave.store.recall import access_path
from slowwave.store.recall.cached_facts import FACT_CACHE
from slowwave.store.recall.recall import Memories
from tests.conftest import NOON
from tests.contract.blocks.harness import tell
from tests.contract.harness import Harness
from tests.statements import heavy_parts, settings

__all__ = ["heavy_parts", "settings"]

PEOPLE = ("Ann", "Bo", "Cleo")
TOWNS = ("Oslo", "Bergen", "Lisbon", "Porto")
THINGS = ("cello", "harbour", "orchard", "violin", "lantern", "saffron", "bicycle", "painting")
SAID = (
    "I live in {town}.", "I moved to {town} last year.", "My sister plays the {thing}.", "Did you see the {thing}?",
    "I sold the {thing} and bought a {other}.", "My favourite thing is the {thing}.", "Lovely!", "What about {name}?",
    "{name} works in {town} these days.", "I have a {thing} and a {other}, and it was in May.",
)  # fmt: skip
ASKED = (
    "Where does {name} live?", "What does {name}'s sister play?", "When did {name} move to {town}?", "the {thing}",
    "Which things does {name} have?", "Does {name} still live in {town}?", "What did you see?", "{name} and a {other}",
    "Who works in {town}?",
)  # fmt: skip


@dataclass(frozen=True)
class Process:
    """The caches of a process that keeps the vectors of a scope, or only its codes if *exact_bytes* is zero."""

    exact_bytes: int
    blocks: OrderedDict[Any, Any] = field(default_factory=OrderedDict)
    facts: OrderedDict[Any, Any] = field(default_factory=OrderedDict)

    @contextmanager
    def runs(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """Make this process the one that recall uses."""
        with monkeypatch.context() as patched:
            patched.setattr(codes, "EXACT_BYTES", self.exact_bytes)
            patched.setattr(BLOCK_CACHE, "_scopes", self.blocks)
            patched.setattr(FACT_CACHE, "_scopes", self.facts)
            yield


def filled(random: Random, template: str) -> str:
    thing, other = random.sample(THINGS, 2)
    return template.format(name=random.choice(PEOPLE), town=random.choice(TOWNS), thing=thing, other=other)


def told(random: Random, start: int, count: int) -> list[Episode]:
    """Return *count* turns of three people in sessions of thirty; half of them repeat an earlier one with a number."""
    texts: list[str] = []
    for number in range(start, start + count):
        again = f"{random.choice(texts)} {number}" if texts and random.random() < 0.5 else None
        texts.append(again or filled(random, random.choice(SAID)))
    return [
        Episode(
            content=text, key=f"e{number}", session=f"s{number // 30}", role="user", speaker=random.choice(PEOPLE),
            occurred_at=NOON + timedelta(minutes=number),
        )
        for number, text in enumerate(texts, start)
    ]  # fmt: skip


def ten(harness: Harness, scope: Scope, question: str, *, whole: bool) -> list[Recollection]:
    """Return the first ten results, from the caches of a process or by a scan of the *whole* scope."""
    return recall(
        question, [scope], store=Memories(harness.parts.database, whole=whole), embedder=harness.parts.embedder,
        limit=10, now=NOON + timedelta(days=900), nearness=harness.parts.nearness,
        sources={"graph": along_relations, "connection": between_named},
    )  # fmt: skip


@pytest.mark.accept
@pytest.mark.parametrize("seed", range(3))
def test_blocks_give_the_same_ten_results_as_a_full_scan(
    harness: Harness, scope: Scope, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_path, "LEAST", 20)
    monkeypatch.setattr(estimate, "FIRST_REFINED", 80)
    random, processes = Random(seed), (Process(codes.EXACT_BYTES), Process(0))
    turns, kinds = 0, set()
    for more in (300, 250, 7):
        tell(harness, scope, told(random, turns + 1, more))
        turns += more
        for question in [filled(random, template) for template in ASKED]:
            exact = ten(harness, scope, question, whole=True)
            for process in processes:
                with process.runs(monkeypatch):
                    fast, again = (ten(harness, scope, question, whole=False) for _ in range(2))

                assert [one.id for one in fast] == [one.id for one in exact], question
                assert [one.id for one in again] == [one.id for one in exact], question
                for one, other in zip(fast, exact, strict=True):
                    assert (one.text, one.form, one.until, one.sources) == (
                        other.text, other.form, other.until, other.sources
                    )  # fmt: skip
                    assert one.reasons == pytest.approx(other.reasons, abs=1e-5)
            kinds |= {(one.kind, one.form) for one in exact}
    assert all(process.blocks and process.facts for process in processes)
    assert len(kinds) == 3  # turns, statements and typed facts
