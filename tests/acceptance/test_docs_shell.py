"""The shell commands of the guides exist, and the examples among them run."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.embedded_services import EmbeddedServices
from slowwave.memory import Memory
from slowwave.memory.operations import Access
from slowwave.wiring import Settings
from tests.acceptance.pages import PAGES, ROOT, blocks, name_of
from tests.faults.rig.processes import Process, plain_environment, python, running, until
from tests.folders import open_folder

SHELL = ("sh", "bash", "console")
GUIDES = {name_of(page): page for page in PAGES if blocks(page, *SHELL)}
ELSEWHERE = {
    "guides/cells": "tests/integration/cells/test_guide.py runs it with two servers",
    "guides/shell": "tests/acceptance/test_newcomer.py walks it in a fresh clone",
    "guides/clients": "tests/acceptance/test_typescript.py builds the client",
    "explanation/comparison": "peers are not installed here; tests/unit/test_peers.py runs what is ours",
    "tutorials/demo": "tests/acceptance/test_demo.py compares the page with what the demo prints",
}
STAYS = re.compile(
    r"slowwave (serve|up|bench|doctor)\b|slowwave work(?! --)|slowwave metrics --port|pip install|docker compose"
    r"|ops/new-env|export KEY=|slowwave keys revoke|curl -N|slowwave report --open|webhooks test WEBHOOK"
    r"|slowwave replay reader"
)
"""Commands that the test leaves out: endless ones, installations, placeholders, and those that other tests run.

`bench` takes minutes. `doctor` ends with 1 here and should: only Postgres and the API run, so no scheduler ticks;
`test_newcomer.py` runs it. `report --open` opens a browser. `replay reader` needs a pack with a model; the tests of
replay ask one.
"""

pytestmark = [pytest.mark.accept, pytest.mark.timeout(900)]


def commands(page: Path) -> list[str]:
    """Return the commands of a page's blocks, without prompts and remarks; one over several lines is one."""
    lines = "\n".join(blocks(page, *SHELL)).replace("\\\n", " ")
    found = (re.sub(r"^\$ |\s+# .*$", "", line) for line in lines.splitlines())
    return [line for line in found if line.strip() and not line.startswith("#")]


@pytest.fixture(scope="module")
def world() -> Iterator[tuple[Path, Mapping[str, str], str]]:
    """A folder with an embedded memory in which Nora has said something, its environment, and the API's address."""
    with (
        open_folder("guides") as home,
        EmbeddedServices.start(home / "home", redis=False, durable=False) as services,
    ):
        wiring.migrate_database(services.owner_url)
        with closing(wiring.connect(Settings.load(url=services.url))) as parts:
            wiring.register(parts)
            _, key = Access(parts).create("guides", ["*"])
        with Memory.connect(services.url) as memory:
            memory.scope("nora").push("I live in Bergen", session="s0")
            memory.scope("nora").consolidate()
            memory.drain(60)
        theirs = json.loads((ROOT / "tests/foreign_exports/mem0-1.0.json").read_text())
        theirs["results"] = [one for one in theirs["results"] if one["memory"]]
        (home / "all.json").write_text(json.dumps(theirs))
        (home / "replies.jsonl").touch()
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        env = plain_environment(PATH=path, SLOWWAVE_HOME=str(home / "home"), KEY=key, SLOWWAVE_KEY=key)
        server = Process(python("slowwave.cli", "serve", "--port", "0"), env, home / "serve.log")
        with running(server):
            until(lambda: "ready: serves" in server.said(), "the server is ready", otherwise=server.said)
            (address,) = re.findall(r"ready: serves http://(127\.0\.0\.1:\d+)", server.said())
            yield home, env, address


def run(command: str, folder: Path, environment: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """Run a command of a guide in *folder*."""
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder, env={**environment, "SLOWWAVE_LOG_LEVEL": "ERROR"}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("name", sorted(GUIDES.keys() - ELSEWHERE.keys()))
def test_the_shell_commands_of_a_guide_run(name: str, world: tuple[Path, Mapping[str, str], str]) -> None:
    folder, environment, address = world
    failed = {}
    for line in commands(GUIDES[name]):
        if STAYS.search(line):
            continue
        here = re.sub(r"(localhost|127\.0\.0\.1):8080", address, line).replace("/var/tmp/", f"{folder}/")
        done = run(here, folder, environment)
        if done.returncode or "Traceback" in done.stderr or '"urn:slowwave:' in done.stdout:
            failed[line] = (done.stdout + done.stderr)[-600:]
    assert failed == {}


PRINTED = "explanation/changes"
"""The page whose last command prints the text block after it."""
OWN = re.compile(
    r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|(?<= in run )\d+", re.M
)
"""Values that differ in every run: times, ids and run numbers."""


def test_a_page_shows_what_its_commands_print(world: tuple[Path, Mapping[str, str], str]) -> None:
    folder, environment, _ = world
    printed = ""
    for line in commands(GUIDES[PRINTED]):
        done = run(line.replace("--user mara", "--user mara-reads"), folder, environment)
        done.check_returncode()
        printed = done.stdout
    (shown,) = blocks(GUIDES[PRINTED], "text")
    assert OWN.sub("", printed).strip() == OWN.sub("", shown).strip()


def test_most_shell_commands_of_the_guides_are_tested() -> None:
    shown = [line for name in GUIDES.keys() - ELSEWHERE.keys() for line in commands(GUIDES[name])]
    assert len([line for line in shown if not STAYS.search(line)]) >= 12
