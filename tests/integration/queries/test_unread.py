"""Unread turns in other languages: every listing of facts names them and the setting that helps."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
from fastapi.testclient import TestClient

from slowwave import Memory, MemoryScope, wiring
from slowwave.api.app import create_app
from slowwave.domain.model_calls import Message
from slowwave.memory.operations import Access
from slowwave.rules import load_pack
from slowwave.settings import Settings
from tests.faults.rig.provider import answering
from tests.integration.api.served import serving
from tests.integration.command import Run
from tests.integration.steps import learn, process
from tests.integration.workers.test_languages import GERMAN, SPANISH, TOLD
from tests.unit.rules.rulepacks import manifest, written

VILLAGE = TOLD[3]
SENTENCE = "3 turns in Spanish (2) and German (1) were not read: no rule pack reads these languages."
REMEDY = (
    "Set SLOWWAVE_MODEL to have a model read such turns from then on, "
    "or SLOWWAVE_EMBEDDER=e5 to find them at least by meaning."
)


def tell(scope: MemoryScope, texts: Sequence[str] = TOLD) -> None:
    for text in texts:
        scope.push(text, session="s1")
    learn(scope, "Ich empfehle dir das kleine Museum am Hafen.", session="s1", role="assistant")


def contents(scope: MemoryScope, **asked: Any) -> list[tuple[str, str]]:
    return [(turn.episode.content, turn.language) for turn in scope.unread(**asked)]


@pytest.fixture
def ana(parts: wiring.Parts) -> MemoryScope:
    """A user's memory with three turns that no pack could read."""
    scope = Memory(parts).scope("ana", agent="concierge")
    tell(scope)
    return scope


def test_unread_turns_are_listed_with_languages_and_a_remedy(ana: MemoryScope) -> None:
    found = ana.unread()

    assert contents(ana) == [(VILLAGE, "es"), (GERMAN, "de"), (SPANISH, "es")]
    assert (found.languages, found.sentence, found.remedy) == ({"es": 2, "de": 1}, SENTENCE, REMEDY)


def test_a_page_of_unread_turns_continues_before_a_turn_and_counts_all(ana: MemoryScope) -> None:
    first = ana.unread(2)

    assert contents(ana, limit=2, before=first[-1].episode.id) == [(SPANISH, "es")]
    assert sum(first.languages.values()) == 3


def test_a_fully_read_scope_reports_no_unread_turns(parts: wiring.Parts) -> None:
    scope = Memory(parts).scope("bob", agent="concierge")
    tell(scope, ["I moved to Oslo last week."])
    found = scope.unread()

    assert (list(found), found.languages, found.sentence, found.remedy) == ([], {}, "", "")


def test_unread_turns_are_limited_to_their_user_and_tenant(ana: MemoryScope, parts: wiring.Parts) -> None:
    assert contents(Memory(parts).scope("bob", agent="concierge")) == []
    assert contents(Memory(parts).scope("ana", agent="concierge", tenant="elsewhere")) == []


def test_expired_turns_are_not_listed_as_unread(ana: MemoryScope, superuser: psycopg.Connection[Any]) -> None:
    superuser.execute("UPDATE conversations SET tombstoned = touched")

    assert ana.unread().languages == {}


def test_unread_turns_are_available_over_http(ana: MemoryScope, parts: wiring.Parts) -> None:
    with TestClient(create_app(Memory(parts), keyless=True), base_url="http://127.0.0.1") as client:
        first = client.get("/v1/unread", params={"user": "ana", "agent": "concierge", "limit": 2}).json()
        rest = client.get("/v1/unread", params={"user": "ana", "limit": 2, "before": first["next"]}).json()

    assert [(one["episode"]["content"], one["language"]) for one in first["items"]] == [(VILLAGE, "es"), (GERMAN, "de")]
    assert [one["episode"]["content"] for one in rest["items"]] == [SPANISH]
    assert (first["languages"], first["remedy"], rest["next"]) == ({"es": 2, "de": 1}, REMEDY, None)


def test_a_remote_agent_gets_the_same_unread_turns(ana: MemoryScope, parts: wiring.Parts) -> None:
    _, key = Access(parts).create("test", ["recall"], tenant=parts.settings.tenant)
    with serving(create_app(Memory(parts))) as address, Memory.connect(address, key=key) as memory:
        there = memory.scope("ana", agent="concierge").unread(2)
    here = ana.unread(2)

    assert list(there) == list(here)
    assert (there.languages, there.sentence, there.remedy) == (here.languages, here.sentence, here.remedy)


# turns that are read later


def silent(_messages: Sequence[Message]) -> str:
    """A model that claims nothing."""
    return json.dumps({"claims": []})


def test_turns_read_by_a_model_stay_read_without_it(
    settings: Settings, heavy_parts: dict[str, object], superuser: psycopg.Connection[Any]
) -> None:
    with (
        answering(replies=silent) as provider,
        process(settings, heavy_parts, model_url=provider.url, model="recorded") as parts,
    ):
        tell(Memory(parts).scope("ana", agent="concierge"))
        assert provider.met, "the model was asked"

    with process(settings, heavy_parts) as parts:
        scope = Memory(parts).scope("ana", agent="concierge")
        assert contents(scope) == []
        # the rule packs yield to the model and keep their earlier positions
        superuser.execute("UPDATE watermarks SET position = 0, planned = 0 WHERE pack = 'everyday'")
        scope.push(GERMAN, session="s2")
        reports = scope.consolidate()
        unread = contents(scope)

    assert max(one.episodes for one in reports if one.pack == "everyday") == len(TOLD) + 2
    assert unread == [(GERMAN, "de")], "what came after the model"


def test_a_pack_for_a_language_clears_only_unread_turns_in_that_language(
    ana: MemoryScope, settings: Settings, heavy_parts: dict[str, Any], tmp_path: Path,
    superuser: psycopg.Connection[Any],
) -> None:  # fmt: skip
    others = [
        load_pack(written(tmp_path, manifest(pack=name, languages=[code]), name=name))
        for name, code in (("german", "de"), ("spanish", "es"))
    ]
    with process(settings, {**heavy_parts, "packs": [*heavy_parts["packs"], *others]}) as parts:
        scope = Memory(parts).scope("ana", agent="concierge")
        before = scope.unread()
        # a new pack begins where the scope stands: let this one begin at its beginning, and the other where it is
        superuser.execute("UPDATE watermarks SET position = 0, planned = 0 WHERE pack = 'german'")
        learn(scope, "And the weather is fine here.", session="s2")

        assert before.sentence == SENTENCE.replace(
            "no rule pack reads these languages", "nothing read these languages when they came"
        )
        assert contents(scope) == [(VILLAGE, "es"), (SPANISH, "es")]


def test_the_remedy_names_only_settings_that_are_missing(
    ana: MemoryScope, settings: Settings, heavy_parts: dict[str, object]
) -> None:
    def remedy(**changed: Any) -> str:
        with process(settings, heavy_parts, **changed) as parts:
            return Memory(parts).scope("ana", agent="concierge").unread().remedy

    assert remedy(model="any") == "Set SLOWWAVE_EMBEDDER=e5 to find them at least by meaning."
    assert remedy(embedder="endpoint") == "Set SLOWWAVE_MODEL to have a model read such turns from then on."
    assert remedy(model="any", embedder="endpoint") == ""


# the commands


def test_the_facts_command_also_reports_unread_turns(ana: MemoryScope, run: Run) -> None:
    shown = run("facts", "--user", "ana").out

    assert "The user lives in Oslo" in shown
    assert shown.endswith(f"\n{SENTENCE} {REMEDY} `slowwave unread --user ana` lists these turns.\n")
    assert [one["text"] for one in run("facts", "--user", "ana", "--json").json] == ["The user lives in Oslo"]


def test_a_user_without_facts_is_told_why(parts: wiring.Parts, run: Run) -> None:
    tell(Memory(parts).scope("jutta", agent="concierge"), [GERMAN])

    assert run("facts", "--user", "jutta").out == (
        "no facts here\n1 turn in German was not read: no rule pack reads this language. "
        f"{REMEDY} `slowwave unread --user jutta` lists these turns.\n"
    )


def test_unread_turns_are_listed_with_their_ids(ana: MemoryScope, run: Run) -> None:
    shown = run("unread", "--user", "ana", "--agent", "concierge").out
    listed = run("unread", "--user", "ana", "--limit", "2", "--json").json
    behind = run("unread", "--user", "ana", "--before", listed["turns"][-1]["episode"]["id"], "--json").json

    assert "Spanish" in shown
    assert shown.endswith(f"{SENTENCE} {REMEDY}\n")
    assert [one["language"] for one in (*listed["turns"], *behind["turns"])] == ["es", "de", "es"]
    assert (listed["languages"], listed["remedy"]) == ({"es": 2, "de": 1}, REMEDY)
    assert run("unread", "--user", "nobody").out.startswith("no unread turns")


def test_doctor_reports_read_languages_and_unread_turns(ana: MemoryScope, run: Run) -> None:
    said = " ".join(run("doctor").out.split())

    assert "ok they read English; set SLOWWAVE_MODEL to have a model read other languages, too" in said
    assert f"ok not read within 7 days: {SENTENCE} {REMEDY}" in said


def test_doctor_reports_no_problem_if_everything_was_read(
    parts: wiring.Parts, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOWWAVE_MODEL", "any")
    said = " ".join(run("doctor").out.split())

    assert "ok they read any language" in said
    assert "ok not read within 7 days: no turn in a language that no pack or model reads" in said


def test_old_unread_turns_are_not_reported(ana: MemoryScope, run: Run, superuser: psycopg.Connection[Any]) -> None:
    assert run("status", "--json").json["unread"] == {"es": 2, "de": 1}
    superuser.execute("UPDATE unread_turns SET received = received - interval '8 days'")

    assert "not read within 7 days: no turn" in " ".join(run("doctor").out.split())
    assert run("status", "--json").json["unread"] == {}
