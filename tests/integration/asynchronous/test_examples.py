"""The example of a service and the guide run as they stand."""

import importlib.util
import re
import subprocess
import sys
import uuid
from pathlib import Path
from types import ModuleType

import pytest
from fastapi.testclient import TestClient

from slowwave.wiring import Parts

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "ops" / "docs" / "guides" / "async.md").read_text()

pytestmark = pytest.mark.accept


@pytest.fixture
def installed(parts: Parts, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test's database is the one of the settings."""
    monkeypatch.setenv("SLOWWAVE_URL", url)


@pytest.fixture
def service() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fastapi_example", ROOT / "ops" / "examples" / "fastapi" / "app.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its types are looked up
    spec.loader.exec_module(module)
    return module


@pytest.mark.usefixtures("installed")
def test_the_example_service_remembers(service: ModuleType) -> None:
    user = uuid.uuid4().hex
    with TestClient(service.app) as client:
        said = client.post(f"/chat/{user}", json={"words": "I moved to Oslo", "session": "s1"})
        assert said.status_code == 200
        assert "The user lives in Oslo" in client.post(f"/night/{user}").json()
        asked = client.post(f"/chat/{user}", json={"words": "Where do I live?", "session": "s2"})
        assert "The user lives in Oslo" in asked.json()["answer"]
        assert client.get(f"/known/{user}").json() == ["The user lives in Oslo"]
        assert client.post(f"/chat/{user}", json={"words": "", "session": "s2"}).status_code == 422


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("snippet", re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL))
def test_each_snippet_of_the_guide_runs(snippet: str) -> None:
    ran = subprocess.run([sys.executable, "-W", "error", "-c", snippet], capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Oslo" in ran.stdout
