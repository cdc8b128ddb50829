"""An operator edits the prompt of a pack that asks a model, while a process runs: the next request is another."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.model_calls import Message
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.rules import hot_reload
from slowwave.settings import Settings
from tests.faults.rig.provider import answering
from tests.integration.workers.test_work import environment
from tests.unit.model_packs.talks import claim

_SHIPPED_READER = Path(__file__).parents[3] / "rules" / "packs" / "reader"
HOME = json.dumps({"claims": [claim(1, "lives_in", "Oslo", "moved to Oslo")]})


@contextmanager
def reading(settings: Settings, rules: Path, prompts: list[str]) -> Iterator[wiring.Parts]:
    """Give the parts of a process that reads with a model; what that is asked first is added to *prompts*."""

    def answer(messages: Sequence[Message]) -> str:
        prompts.append(messages[0]["content"])
        return HOME

    with ExitStack() as ends:
        provider = ends.enter_context(answering(replies=answer))
        more = {"rules": rules, "model": "echo", "model_url": provider.url}
        parts = wiring.connect(settings.model_copy(update=more))
        ends.callback(parts.close)
        wiring.register(parts)
        yield parts


def test_the_next_request_has_the_prompt_as_it_is_now_and_a_wrong_one_changes_nothing(
    settings: Settings, scope: Scope, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hot_reload, "GLANCE_SECONDS", 0.0)
    folder = tmp_path / "packs" / "reader"
    shutil.copytree(_SHIPPED_READER, folder)
    prompt, prompts = folder / "prompt.md", list[str]()
    text = prompt.read_text()

    with reading(settings, folder.parent, prompts) as parts:
        alice = MemoryScope(parts, scope)
        for number, written in enumerate([text, "You note what was said.\n" + text, "no place for predicates"]):
            prompt.write_text(written)
            parts.watched.look()  # as the scheduler does, which registers what it finds
            wiring.register_watched(parts)
            alice.push("I moved to Oslo, and love it", session=f"s{number}")
            alice.consolidate()

        assert [one.startswith("You note what was said.\n") for one in prompts] == [False, True, True]
        assert "expected {predicates}" in parts.watched.problems["reader"]
        assert parts.watched.unread == []


def test_a_separate_model_worker_reloads_the_prompt(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hot_reload, "GLANCE_SECONDS", 0.0)
    folder = tmp_path / "packs" / "reader"
    shutil.copytree(_SHIPPED_READER, folder)

    with reading(settings, folder.parent, []) as parts:
        before = parts.asker
        (folder / "prompt.md").write_text((folder / "prompt.md").read_text() + "\nBe brief.\n")
        parts.glance()

        assert parts.asker is not before
        assert [pack.prompt.endswith("Be brief.") for pack in parts.watched.models.values()] == [True]
        assert parts.models == parts.watched.models


@pytest.mark.accept
def test_a_worker_with_a_model_skips_packs_that_give_way_to_it(
    parts: wiring.Parts, settings: Settings, url: str, scope: Scope, tmp_path: Path
) -> None:
    before = MemoryScope(parts, scope)
    before.push("I live in Lisbon.", session="s0")
    before.consolidate()
    assert [fact.rule.partition("/")[0] for fact in before.facts()] == ["everyday"]

    folder = tmp_path / "packs" / "reader"
    shutil.copytree(_SHIPPED_READER, folder)
    with reading(settings, folder.parent, []) as told:
        alice = MemoryScope(told, scope)
        alice.push("I moved to Oslo, and love it", session="s1")
        alice.end_session("s1")
        endpoint = {"SLOWWAVE_MODEL": "echo", "SLOWWAVE_MODEL_URL": told.settings.model_url}
        env = {**environment(url), **endpoint, "SLOWWAVE_RULES": str(folder.parent)}
        command = [sys.executable, "-m", "slowwave.cli", "work", "--until-idle"]
        subprocess.run(command, env=env, capture_output=True, check=True)

        runs = told.records.runs(settings.tenant, most=100, scope=scope.id)
        asked = [run.pack for run in runs if run.job in ("plan", "consolidate")]
        assert asked == ["reader", "reader", "everyday"]
        assert [(fact.object, fact.rule.partition("/")[0]) for fact in alice.facts()] == [("Oslo", "reader")]
