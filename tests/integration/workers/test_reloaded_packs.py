"""A running worker follows an edited pack or prompt, and keeps the old one while the new one is wrong."""

import json
import math
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.model_calls import Message
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.rules import hot_reload
from slowwave.settings import Settings
from tests.databases import registered
from tests.faults.rig.processes import Process, plain_environment, running, until
from tests.faults.rig.provider import answering
from tests.integration.workers.test_work import work_until_idle
from tests.unit.model_packs.talks import claim

_SHIPPED_PACK = Path(__file__).parents[3] / "rules" / "packs" / "everyday"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The operator's copy of the shipped pack."""
    copied = tmp_path / "packs" / "everyday"
    shutil.copytree(_SHIPPED_PACK, copied)
    versioned(copied / "pack.yaml", 1001)
    return copied


def versioned(manifest: Path, version: int) -> None:
    """Change the version of a pack."""
    manifest.write_text(re.sub(r"^version: \d+$", f"version: {version}", manifest.read_text(), flags=re.MULTILINE))


@pytest.fixture
def remembered(
    folder: Path, settings: Settings, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MemoryScope]:
    """A memory that a worker consolidates, reloading its packs before every run."""
    monkeypatch.setattr(hot_reload, "GLANCE_SECONDS", 0)
    with registered(settings.model_copy(update={"rules": folder.parent})) as parts:
        yield MemoryScope(parts, scope)


LOOKS_BEFORE_EVERY_RUN = """
from slowwave.cli import main
from slowwave.rules import hot_reload
hot_reload.GLANCE_SECONDS = 0
main(["work"])
"""
WRONG = {
    "a version of many digits": ("version: 1002", "version: 0x" + "f" * 6_000),
    "an interval of a million years": ("max_age: PT24H", "interval: P999999999D"),
    "a slip of the pen": ("words:", "words: ["),
}


@pytest.mark.accept
def test_a_worker_keeps_the_old_pack_at_every_wrong_edit_and_follows_the_right_one(
    remembered: MemoryScope, folder: Path, tmp_path: Path, url: str
) -> None:
    manifest = folder / "pack.yaml"
    right = manifest.read_text().replace("version: 1001", "version: 1002")
    env = plain_environment(SLOWWAVE_URL=url, SLOWWAVE_RULES=str(folder.parent), SLOWWAVE_POLL_SECONDS="0.1")
    worker = Process([sys.executable, "-c", LOOKS_BEFORE_EVERY_RUN], env, tmp_path / "worker.log")

    def version_that_learns(thing: str) -> str:
        remembered.push(f"I like {thing}", key=thing)
        due_work.fire(remembered._parts, remembered.scope.id)
        rule = until(
            lambda: next((fact.rule for fact in remembered.facts() if fact.object == thing), None),
            f"the worker has learnt {thing}",
            otherwise=worker.said,
        )
        return rule.partition("@")[2]

    with running(worker):
        assert version_that_learns("tea") == "1001"
        for thing, (old, new) in zip(("coffee", "cocoa", "maté"), WRONG.values(), strict=True):
            assert old in right
            manifest.write_text(right.replace(old, new, 1))
            assert version_that_learns(thing) == "1001"
            assert worker.running
        manifest.write_text(right)
        assert version_that_learns("milk") == "1002"


def test_the_first_run_of_a_new_pack_reads_its_files_at_once(
    remembered: MemoryScope, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts, new = remembered._parts, folder.with_name("boats")
    remembered.push("I like tea")
    remembered.consolidate()
    monkeypatch.setattr(hot_reload, "GLANCE_SECONDS", math.inf)  # the worker has just looked for new packs
    shutil.copytree(Path(__file__).with_name("boats"), new)
    with closing(wiring.connect(parts.settings)) as scheduler:
        scheduler.watched.look()
        wiring.register_watched(scheduler)

    remembered.push("I moored my boat in Bergen", key="moored")
    reports = remembered.consolidate()

    assert "unavailable" not in {report.outcome for report in reports}
    assert "Bergen" in {fact.object for fact in remembered.facts()}


HOME = json.dumps({"claims": [claim(1, "lives_in", "Oslo", "moved to Oslo")]})


def reader(home: Path) -> Path:
    """Return the operator's copy of the shipped pack that reads with a model."""
    return shutil.copytree(_SHIPPED_PACK.with_name("reader"), home / "packs" / "reader")


@contextmanager
def reading(settings: Settings, rules: Path, prompts: list[str]) -> Iterator[wiring.Parts]:
    """Give the parts of a process that reads with a model; its prompts are added to *prompts*."""

    def answer(messages: Sequence[Message]) -> str:
        prompts.append(messages[0]["content"])
        return HOME

    with answering(replies=answer) as provider:
        more = {"rules": rules, "model": "echo", "model_url": provider.url}
        with registered(settings.model_copy(update=more)) as parts:
            yield parts


def test_the_next_request_has_the_prompt_as_it_is_now_and_a_wrong_one_changes_nothing(
    settings: Settings, scope: Scope, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hot_reload, "GLANCE_SECONDS", 0.0)
    folder = reader(tmp_path)
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


def test_a_canary_begins_and_ends_while_a_worker_runs(remembered: MemoryScope, folder: Path) -> None:
    parts, rules = remembered._parts, folder.parent.parent
    new, policy = rules / "canaries" / "everyday", rules / "policies" / "canaries.yaml"
    shutil.copytree(folder, new)
    versioned(new / "pack.yaml", 1002)
    text = (new / "pack.yaml").read_text()

    def read(said: str) -> list[int]:
        parts.watched.look()
        wiring.register_watched(parts)  # the scheduler does this
        remembered.push(said, key=said)
        remembered.consolidate()
        return [one.version for one in Memory(parts).operator().runs() if one.pack == "everyday"][:1]

    policy.parent.mkdir()
    assert read("I like tea") == [1001]
    policy.write_text("everyday: {share: 1}")
    assert read("I like coffee") == [1002]
    policy.write_text("everyday: {share: 7}")
    assert read("I like milk") == [1002], "the last valid version stays in force"
    assert "everyday.share" in parts.watched.problems["canaries.yaml"]
    (new / "pack.yaml").write_text(text.replace("version: 1002", "version: 1003"))
    policy.write_text("everyday: {share: 1}")
    assert read("I like jazz") == [1003]
    policy.unlink()
    assert read("I like chess") == [1001]
    assert {fact.object for fact in remembered.facts()} == {"tea", "coffee", "milk", "jazz", "chess"}


def test_a_separate_model_worker_reloads_the_prompt(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hot_reload, "GLANCE_SECONDS", 0.0)
    folder = reader(tmp_path)

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

    folder = reader(tmp_path)
    with reading(settings, folder.parent, []) as reads:
        alice = MemoryScope(reads, scope)
        alice.push("I moved to Oslo, and love it", session="s1")
        alice.end_session("s1")
        endpoint = {"SLOWWAVE_MODEL": "echo", "SLOWWAVE_MODEL_URL": str(reads.settings.model_url)}
        work_until_idle(url, SLOWWAVE_RULES=str(folder.parent), **endpoint)

        runs = reads.records.runs(settings.tenant, most=100, scope=scope.id)
        asked = [run.pack for run in runs if run.job in ("plan", "consolidate")]
        assert asked == ["reader", "reader", "everyday"]
        assert [(fact.object, fact.rule.partition("/")[0]) for fact in alice.facts()] == [("Oslo", "reader")]
