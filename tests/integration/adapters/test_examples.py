"""The examples of adapters and their guide run as they stand."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from slowwave.wiring import Parts

ROOT = Path(__file__).parents[3]
EXAMPLES = ["langgraph/graph.py", "openai-agents/agent.py", "pydantic-ai/agent.py"]
GUIDE = re.findall(r"```python\n(.*?)```", (ROOT / "ops/docs/guides/adapters.md").read_text(), re.DOTALL)

pytestmark = pytest.mark.accept


@pytest.fixture
def installed(parts: Parts, url: str, cache_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test's database and cache are those of the settings."""
    monkeypatch.setenv("SLOWWAVE_URL", url)
    monkeypatch.setenv("SLOWWAVE_CACHE_URL", cache_url)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    "code",
    [*((ROOT / "ops" / "examples" / one).read_text() for one in EXAMPLES), *GUIDE],
    ids=[*EXAMPLES, "guide", "names"],
)
def test_the_example_recalls_in_one_session_a_fact_of_another(code: str) -> None:
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert re.search(r"lives in (Oslo|Riga)", ran.stdout)
