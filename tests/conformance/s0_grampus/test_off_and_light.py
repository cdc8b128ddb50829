"""Grampus: what is not chosen changes nothing, what is kept at hand comes fast, and nothing heavy is needed."""

import subprocess
import sys
from datetime import timedelta

import pytest

from slowwave import wiring
from slowwave.domain.job_table import SWEEP
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.rules.lifecycle import load_preset
from slowwave.settings import Settings
from slowwave.testing import stop_clock
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import chosen, column, now, run

HEAVY = ("torch", "transformers", "networkx", "scipy", "sklearn", "spacy", "matplotlib", "pandas", "celery")


def test_one_access_keeps_a_memory_warm_for_seven_days(harness: Harness, scope: Scope) -> None:
    """What is warm is served by Postgres, in milliseconds; working memory alone lies in Redis."""
    chosen(harness, "grampus_f3")
    harness.told(scope, 1)
    mine = MemoryScope(harness.parts, scope)
    Memory(harness.parts).drain()
    began = now(harness)
    stop_clock(harness.owner_url, began)
    fact = next(one.id for one in mine.recall("food0", limit=10) if one.kind == "fact")
    write_accesses(harness.parts)
    stood = [column(harness, fact, "tier")]
    for after in (timedelta(days=7), timedelta(days=7, seconds=1)):
        stop_clock(harness.owner_url, began + after)
        run(harness, SWEEP)
        stood.append(column(harness, fact, "tier"))
    stop_clock(harness.owner_url, began + timedelta(days=8))
    mine.recall("food0", limit=10)
    write_accesses(harness.parts)
    stood.append(column(harness, fact, "tier"))

    assert stood == ["warm", "warm", "cold", "warm"]
    ladder = load_preset("grampus_f3").policies.of(scope.tenant).tiers
    assert {rung.name: rung.ttl for rung in ladder.rungs}["warm"] == timedelta(days=7)
    harness.parts.accesses.close()


@pytest.mark.requirement("S0.38")
def test_features_that_are_off_do_not_change_the_order_of_answers(
    settings: Settings, heavy_parts: dict[str, object], scope: Scope
) -> None:
    """Neither graph, tiers nor routing count in the order of answers unless a policy says so."""

    def answers(preset: str | None) -> list[tuple[str, float, set[str]]]:
        parts = wiring.connect(settings.model_copy(update={"preset": preset}))
        vars(parts).update(heavy_parts)
        wiring.register(parts)
        with Memory(parts):
            mine = MemoryScope(parts, scope)
            for number, words in enumerate(["I live in Oslo.", "The ferry was late.", "We adopted a cat."]):
                mine.push(words, key=f"k{number}", session=f"s{number}")
            mine.consolidate()
            found = mine.recall("What happened before, and where do I live?")
            return [(one.text, round(one.score, 4), {*one.reasons}) for one in found]

    default, named, routed = answers(None), answers("default"), answers("grampus_f3")

    assert [text for text, _, _ in default] == [text for text, _, _ in named]
    assert not {"kind", "tier", "strength", "salience", "sequential", "tense", "ranks", "expansion"} & set().union(
        *(reasons for _, _, reasons in default)
    )
    assert "sequential" in set().union(*(reasons for _, _, reasons in routed))


@pytest.mark.requirement("S0.43")
def test_a_recall_loads_nothing_heavy(url: str) -> None:
    code = (
        "import sys\nfrom slowwave import Memory\n"
        "with Memory.connect() as memory:\n"
        "    scope = memory.scope('alice')\n    scope.push('I live in Oslo.')\n    scope.consolidate()\n"
        "    assert scope.recall('Oslo')\n"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)))\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], env={"SLOWWAVE_URL": url, "PATH": ""}, capture_output=True, text=True, check=False
    )
    assert (said.returncode, said.stdout.strip()) == (0, "[]"), said.stderr
