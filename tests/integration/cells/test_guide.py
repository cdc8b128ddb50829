"""The commands of the guide about several databases run, in their order."""

import shlex
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.cli import main
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.memory import Memory
from slowwave.settings import Settings
from slowwave.wiring.cells import CellsFile
from tests.acceptance.test_docs_shell import GUIDES, commands
from tests.integration.cells.conftest import copied

pytestmark = pytest.mark.accept


def test_the_commands_of_the_guide_run(
    servers: dict[str, PostgresServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cells.yaml"
    with copied(servers["one"], "guide") as one, copied(servers["two"], "guide") as two:
        for name, (url, owner_url) in {"ONE": one, "TWO": two}.items():
            monkeypatch.setenv(f"CELL_{name}_URL", url)
            monkeypatch.setenv(f"CELL_{name}_OWNER_URL", owner_url)
        with Memory(wiring.connect(Settings.load(url=one[0]))) as memory:
            memory.scope("alice", tenant="acme").push("I moved to Oslo", role="user")
        export, *rest = commands(GUIDES["guides/cells"])
        assert export.startswith("export SLOWWAVE_CELLS=")
        monkeypatch.setenv("SLOWWAVE_CELLS", str(path))
        for command in rest:
            program, *arguments = shlex.split(command)
            assert program == "slowwave"
            main(arguments)
        assert CellsFile(path).layout.tenants == {"acme": "two"}
        with Memory(wiring.connect(Settings.load(cells=path))) as memory:
            assert memory.operator(tenant="acme").overview().episodes == 1
