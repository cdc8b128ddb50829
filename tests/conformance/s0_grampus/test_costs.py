"""Grampus: routes of questions, calls per topic, and features that are off."""

import subprocess
import sys
from collections.abc import Callable

import psycopg
import pytest

from slowwave import wiring
from slowwave.cli.demo.sample import sample
from slowwave.core.recall.routing import route
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from tests.faults.rig.provider import LocalProvider

SAID = ["The endpoint is /v2/login.", "Rain all week.", "Tea is better cold."]


@pytest.fixture
def told(grampus: wiring.Parts, scope: Scope) -> MemoryScope:
    """A scope that lives by the preset and was told three things."""
    mine = MemoryScope(grampus, scope)
    for words in SAID:
        mine.push(words, session="s1")
    return mine


@pytest.mark.requirement("S0.29", "S0.30", "S0.33")
@pytest.mark.parametrize("keyword", ["last time", "previously", "earlier", "before", "recent"])
def test_a_time_keyword_returns_the_most_recent_records_first(told: MemoryScope, keyword: str) -> None:
    found = told.recall(f"which endpoint did we discuss {keyword}?", limit=2)

    assert [one.text for one in found] == SAID[:0:-1]
    assert all("sequential" in one.reasons for one in found)


@pytest.mark.requirement("S0.32")
def test_other_questions_are_answered_by_matching_episodes_and_facts(told: MemoryScope) -> None:
    best = told.recall("what is the API endpoint?")[0]

    assert best.text == SAID[0]
    assert "sequential" not in best.reasons


@pytest.mark.parametrize("question", ["show me the beforehand", "an earliest tea?", "because of rain", "somehow"])
def test_a_keyword_is_a_whole_word(question: str) -> None:
    assert route(question) == "flat"


@pytest.mark.requirement("S0.42")
def test_each_trigger_makes_one_call_and_a_session_of_half_an_hour_one_to_three(
    connected: Callable[..., wiring.Parts], provider: LocalProvider, superuser: psycopg.Connection
) -> None:
    parts = connected(preset="grampus_f3", model="echo", model_url=provider.url)
    lines = [line for line in sample() if line.scope.channel == "home"]
    for line in lines:
        MemoryScope(parts, line.scope).push(Episode.from_message(line.episode))
    Memory(parts).drain()

    count = superuser.execute("SELECT count(*) FROM firings WHERE schedule = 'reader/semantic_shift'").fetchone()
    windows = superuser.execute(
        "SELECT w.lo, w.hi, (SELECT count(*) FROM model_chunks c WHERE c.model_window = w.model_window) "
        "FROM model_windows w ORDER BY w.lo"
    ).fetchall()
    said_by = [line.episode["role"] for line in lines]
    asked = [requests for lo, hi, requests in windows if "user" in said_by[lo - 1 : hi]]
    assert count == (len(windows),), "each trigger, and nothing else, makes a window"
    assert asked == [1] * len(asked)
    assert provider.billed.total() == len(asked) == sum(requests for _, _, requests in windows)
    assert 1 <= len(asked) / len({line.episode["session"] for line in lines}) <= 3


HEAVY = ("torch", "transformers", "networkx", "scipy", "sklearn", "spacy", "matplotlib", "pandas", "celery")


@pytest.mark.requirement("S0.38")
def test_features_that_are_off_do_not_change_the_order_of_answers(
    connected: Callable[..., wiring.Parts], scope: Scope
) -> None:
    """The graph, the tiers and the routing affect the order of answers only if a policy says so."""

    def answers(preset: str | None) -> list[tuple[str, float, set[str]]]:
        parts = connected(preset=preset)
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
