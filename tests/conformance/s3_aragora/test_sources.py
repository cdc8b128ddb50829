"""Aragora, external sources: an index lists their memories by source; a failing source delays nothing."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from slowwave import wiring
from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.wiring import external_sources
from tests.conftest import NOON
from tests.integration.command import Run, run
from tests.packages import install
from tests.scripts import script

__all__ = ["run"]

POINTS = """
[slowwave.sources]
notes = acme:Notes
slow = acme:Slow
broken = acme:Broken
odd = acme:Odd
"""
ACME = script(__file__, "sources_package.txt")


@pytest.fixture
def alice(parts: wiring.Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryScope]:
    """A scope with one told text and a package that provides external memories."""
    install(tmp_path / "site", monkeypatch, POINTS, ACME)
    external_sources._source.cache_clear()
    scope = Memory(parts).scope("alice", agent="concierge")
    scope.push("The boiler leaks.", key="k1")
    yield scope
    if "acme" in sys.modules:
        sys.modules.pop("acme").NEVER.set()
    external_sources._source.cache_clear()


def naming(scope: MemoryScope, names: str, seconds: float = 30.0) -> MemoryScope:
    """Return *scope* in a process with these external sources."""
    parts = parts_of(scope)
    settings = parts.settings.model_copy(update={"sources": names, "source_seconds": seconds})
    other = replace(parts, settings=settings)
    vars(other).update({name: vars(parts)[name] for name in ("database", "embedder", "packs")})
    return MemoryScope(other, scope.scope)


@pytest.mark.requirement("S3.30")
def test_a_search_of_the_index_includes_external_sources_on_request(alice: MemoryScope) -> None:
    asked = naming(alice, "notes")

    own, *theirs = asked.search_index("boiler", limit=2, include_external=True)
    assert (own.id, own.source) == (alice.episode("k1").id, None)
    assert [(one.id, one.source, one.score, one.occurred) for one in theirs] == [
        ("n0", "notes", 0.5, NOON), ("n1", "notes", 0.5, NOON),
    ]  # fmt: skip
    assert all(len(one.preview) == 80 and one.preview.startswith("alice noted: boiler") for one in theirs)
    unasked, unnamed = asked.search_index("boiler", limit=2), alice.search_index("boiler", include_external=True)
    assert [one.id for one in unasked] == [one.id for one in unnamed] == [own.id]


@pytest.mark.requirement("S3.30")
def test_a_failing_source_is_reported_and_does_not_block_the_answer(
    alice: MemoryScope, caplog: pytest.LogCaptureFixture
) -> None:
    index = naming(alice, "broken, slow,odd,notes", 0.5).search_index("boiler", limit=1, include_external=True)

    assert [one.source for one in index] == [None, "notes"]
    assert index.failed == {
        "broken": "failed with LookupError: the notes are gone",
        "slow": "did not answer in time",
        "odd": "answered with dict instead of entries",
    }
    assert "the source broken failed with LookupError" in caplog.text
    assert "the notes are gone" not in caplog.text  # the text of a source may quote the question


def test_a_hanging_source_gets_a_limited_number_of_questions(alice: MemoryScope) -> None:
    asked = naming(alice, "slow", 0.01)
    why = [
        asked.search_index("boiler", include_external=True).failed["slow"] for _ in range(external_sources.AT_ONCE + 1)
    ]

    assert why == ["did not answer in time"] * external_sources.AT_ONCE + ["is still busy with 4 earlier questions"]


def test_an_unknown_source_is_refused(alice: MemoryScope) -> None:
    with pytest.raises(Incorrect, match=r"there is no source 'note'.*notes"):
        naming(alice, "note").search_index("boiler", include_external=True)


def test_the_command_shows_other_memories_and_says_which_failed(
    alice: MemoryScope, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOWWAVE_SOURCES", "notes,broken")
    whose: tuple[Any, ...] = ("--user", "alice", "--limit", "1", "--include-external")
    said = run("search-index", "boiler", *whose)

    assert "of notes, n0" in said.out
    assert said.err == "the source broken failed with LookupError: the notes are gone\n"
    assert [one["source"] for one in run("search-index", "boiler", *whose, "--json").json] == [None, "notes"]
