"""The first hour of a developer who has only git, make and Python: a clone, two commands, and those of the README."""

import contextlib
import os
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.faults.rig.processes import free_port
from tests.folders import open_folder

pytestmark = [pytest.mark.accept, pytest.mark.timeout(900)]
ROOT = Path(__file__).parents[2]
INDEX = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_TRUSTED_HOST", "PIP_CERT", "PIP_CONFIG_FILE", "SSL_CERT_FILE")
"""Settings of the machine's package index, the only variables that the newcomer's environment inherits."""


@pytest.fixture(scope="module")
def newcomer() -> Iterator[tuple[Path, Mapping[str, str]]]:
    """A clone in an empty folder and an environment with nothing in it, after `make run`."""
    with open_folder("newcomer") as folder:
        clone, home = folder / "slowwave", folder / "home"
        home.mkdir()
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8"}
        environment |= {name: os.environ[name] for name in INDEX if name in os.environ}
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], env=environment, check=True)
        environment["SLOWWAVE_HOME"] = str(folder / "memory")
        done = subprocess.run(
            ["make", "run"], cwd=clone, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        (folder / "run.txt").write_text(done.stdout)
        yield clone, environment


def test_make_run_ends_as_the_readme_shows(newcomer: tuple[Path, Mapping[str, str]]) -> None:
    clone, _ = newcomer
    printed = (clone.parent / "run.txt").read_text()

    for line in ("194 episodes are stored in 6 scopes.", "Nora lives in Lisbon", "Not decided: “No, I meant cashews.”"):
        assert line in printed
    assert "Traceback" not in printed


def commands(page: str) -> list[list[str]]:
    """Return the commands of the tables under *The command* that end by themselves, without what stands in brackets.

    A name in capitals is a setting's.
    """
    table = page.partition("## The command")[2].partition("\n## ")[0]
    written = [
        shlex.split(code)
        for row in re.findall(r"^\| (`.+?) \|", table, re.M)
        for code in re.findall(r"`([^`]+)`", row)
        if not code.isupper()
    ]
    needed = [[word for word in words if not word.startswith("[")] for words in written]
    full = [words if words[0] == "slowwave" else ["slowwave", *words] for words in needed]
    return [words for words in full if words[1:] and words[1] not in STAYS_OR_TAKES_LONG | TAKES_A_NAME]


@contextlib.contextmanager
def services_stay(clone: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """Keep the embedded services running: the first command has shown that each starts and ends them for itself."""
    code = "from slowwave import Memory\nwith Memory.connect(): print('up', flush=True); input()"
    with subprocess.Popen(
        [clone / ".venv" / "bin" / "python", "-c", code], cwd=clone, env=environment, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
    ) as held:  # fmt: skip
        assert held.stdin is not None
        assert held.stdout is not None
        assert held.stdout.readline() == "up\n"
        yield
        held.stdin.write("\n")


STAYS_OR_TAKES_LONG = {"up", "work", "bench", "demo", "requirements", "serve", "mcp"}
TAKES_A_NAME = {
    "push", "recall", "why", "undo", "correct", "forget", "erase", "keys", "hook", "export", "import", "backup",
    "verify", "restore", "replay", "canary", "context", "answer", "remember", "search-index", "entries", "timeline",
    "recent", "episode", "conversations", "tool-calls", "summary", "tree", "profile", "unread", "model",
}  # fmt: skip
"""Commands that take a value of the reader's, such as a file or a question."""


def test_the_commands_at_a_glance_run_as_written(newcomer: tuple[Path, Mapping[str, str]]) -> None:
    clone, environment = newcomer
    found = commands((clone / "ops/docs/reference/glance.md").read_text(encoding="utf-8"))
    found.sort(key=lambda words: words[1] != "doctor")  # without services: beside running ones it needs a worker
    failed = {}
    with contextlib.ExitStack() as up:
        for words in found:
            done = subprocess.run(
                [clone / ".venv" / "bin" / words[0], *words[1:]], cwd=clone, env=environment, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=200, check=False,
            )  # fmt: skip
            if done.returncode != 0 or "Traceback" in done.stderr or "Usage:" in done.stdout + done.stderr:
                failed[" ".join(words)] = done.stdout[-300:] + done.stderr[-300:]
            if words is found[0]:
                up.enter_context(services_stay(clone, environment))

    assert len(found) >= 10
    assert failed == {}


def test_the_shell_guide_leads_from_a_push_by_curl_to_a_restored_backup(
    newcomer: tuple[Path, Mapping[str, str]],
) -> None:
    clone, environment = newcomer
    page = (clone / "ops/docs/guides/shell.md").read_text(encoding="utf-8")
    api, flower = free_port(), free_port()
    script = "set -eu\n" + "".join(re.findall(r"```sh\n(.*?)```", page, re.DOTALL)).replace(":8080", f":{api}")
    script = script.replace("--port 8080", f"--port {api}")
    walk = subprocess.Popen(
        ["bash", "-c", script], cwd=clone, env={**environment, "SLOWWAVE_FLOWER_PORT": str(flower)}, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        told, _ = walk.communicate(timeout=400)
    except BaseException:
        os.killpg(walk.pid, signal.SIGTERM)  # `up` and `serve` stop their services
        raise
    assert walk.returncode == 0, told
    for words in ("The user lives in Oslo", '"memories"', "<h1", "slowwave_up 1.0", "slowwave.dump", "digest"):
        assert words in told, told
