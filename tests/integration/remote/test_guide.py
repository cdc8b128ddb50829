"""The guide to the clients shows what runs."""

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[3] / "ops" / "docs" / "guides" / "clients.md"


def test_the_python_block_of_the_guide_runs(address: str, key: str, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(block.replace("http://127.0.0.1:8080", address).replace("sw_…", key), str(GUIDE), "exec"), {})
    assert "I moved to Oslo last week" in capsys.readouterr().out
