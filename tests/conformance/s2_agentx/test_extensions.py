"""AgentX: an installed package adds an extractor, an embedder and a summariser without a change of our code."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from slowwave import wiring
from slowwave.domain.job_table import SUMMARISE, pack_of
from slowwave.errors import Incorrect
from slowwave.memory import Memory
from slowwave.wiring import Settings
from tests.packages import install
from tests.scripts import script

POINTS = """
[slowwave.extractors]
echo = acme:Echo
[slowwave.embedders]
mine = acme:Mine
broken = acme:absent
[slowwave.summarisers]
last = acme:Last
"""
ACME = script(__file__, "extensions_package.txt")
CASES = [{"it": "notes", "episodes": ["note milk"], "believe": ["user noted milk"]}]


@pytest.fixture
def extended(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """Settings that name the components of an installed package, and a folder with a pack for its engine."""
    install(tmp_path / "site", monkeypatch, POINTS, ACME)
    notes = tmp_path / "rules" / "notes"
    notes.mkdir(parents=True)
    pack = {"pack": "notes", "version": 1, "engine": "echo", "options": {"word": "note"}, "cadence": {"every": 100}}
    (notes / "pack.yaml").write_text(json.dumps(pack))
    (notes / "cases.yaml").write_text(json.dumps(CASES))
    yield settings.model_copy(update={"rules": tmp_path / "rules", "embedder": "mine", "summariser": "last"})
    sys.modules.pop("acme", None)


@pytest.mark.requirement("S2.1")
def test_an_installed_package_brings_an_extractor_an_embedder_and_a_summariser(
    extended: Settings, superuser: psycopg.Connection
) -> None:
    parts = wiring.connect(extended)
    wiring.register(parts)
    with Memory(parts) as memory:
        scope = memory.scope("nora")
        scope.push("note milk and bread", key="e1")
        scope.push("Nothing happened today. It rained.", key="e2")
        memory.drain()
        for pack in ("notes", pack_of(SUMMARISE)):
            parts.schedule.fire_manually(by="test", scopes=[scope.scope.id], pack=pack)
        memory.drain()

        (noted,) = (fact for fact in scope.facts() if fact.predicate == "noted")
        (step,) = memory.why(noted.id).steps
        summaries = [(fact.rule, fact.object) for fact in scope.facts() if fact.predicate == "summary"]
        (found, *_) = scope.recall("What was noted?")

    assert (noted.object, [evidence.words for evidence in step.evidence]) == ("milk and bread", ["note milk and bread"])
    assert summaries == [("summarise/acme-last", "user: Nothing happened today.\nuser: It rained.")]
    assert found.text
    spaces = superuser.execute("SELECT name FROM embedding_spaces").fetchall()
    assert spaces == [("acme-space@1",)]


def test_an_unknown_or_broken_embedder_is_reported_in_one_sentence(extended: Settings) -> None:
    for name, said in (
        ("mien", "there is no embedder 'mien', did you mean mine?"),
        ("broken", "the package acme failed"),
    ):
        with pytest.raises(Incorrect, match=said.replace("?", r"\?")):
            _ = wiring.connect(extended.model_copy(update={"embedder": name})).embedder
