"""Grampus: what is not chosen changes nothing, what is kept at hand comes fast, and nothing heavy is needed."""

import subprocess
import sys

import pytest

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.settings import Settings

HEAVY = ("torch", "transformers", "networkx", "scipy", "sklearn", "spacy", "matplotlib", "pandas", "celery")


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
