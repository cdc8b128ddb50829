"""The TypeScript client matches the OpenAPI document, compiles, and works with a real server."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.api.app import create_app
from slowwave.memory import Memory
from slowwave.memory.operations import Access
from tests.integration.api.served import serving

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "ops" / "clients" / "typescript"


def run(*command: str, cwd: Path) -> str:
    """Return the output of *command*. It fails on a machine without Node: install Debian's nodejs and npm."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_generated_typescript_client_is_current(tmp_path: Path) -> None:
    made = tmp_path / "slowwave.ts"
    run(sys.executable, str(ROOT / "ops" / "typescript.py"), str(made), cwd=ROOT)
    assert made.read_text() == (CLIENT / "src" / "slowwave.ts").read_text(), "run ops/typescript.py"


@pytest.mark.accept
def test_the_typescript_client_compiles_and_works_against_a_server(tmp_path: Path, parts: wiring.Parts) -> None:
    folder = tmp_path / "typescript"
    shutil.copytree(CLIENT, folder, ignore=shutil.ignore_patterns("node_modules", "dist"))
    assert "resolved" not in (folder / "package-lock.json").read_text()
    run("npm", "ci", "--no-audit", "--no-fund", cwd=folder)
    run("npm", "run", "build", cwd=folder)

    memory = Memory(parts)
    _, key = Access(parts).create("test", ["*"], tenant=parts.settings.tenant)
    with serving(create_app(memory)) as address:
        memory.scope("nora", agent="concierge").push("I have a dog called Otis", speaker="Nora")
        memory.scope("nora", agent="concierge").consolidate()
        said = run("node", "dist/test/walk.js", address, key, cwd=folder)
    assert "walked: 1 facts" in said
