"""The documentation is built, leads nowhere that is not there, names what there is, and shows what works."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import slowwave
from slowwave import wiring
from slowwave.rules import load_pack
from slowwave.wiring import Settings

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "ops" / "docs").rglob("*.md"))
ELSEWHERE = {"async": "tests/integration/asynchronous", "clients": "tests/integration/remote"}
"""The pages whose examples need more than a memory: a loop, a server."""
RUN = [page for page in PAGES if "```python" in page.read_text(encoding="utf-8") and page.stem not in ELSEWHERE]

pytestmark = pytest.mark.accept


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built so strictly that a warning fails it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    built = subprocess.run(
        [*command, "--config-file", ROOT / "ops" / "mkdocs.yml", "--site-dir", folder],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    return folder


def text_of(page: Path) -> str:
    return re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8"))


def test_every_page_is_built(site: Path) -> None:
    names = [page.relative_to(ROOT / "ops" / "docs").with_suffix("") for page in PAGES]
    built = {site / ("." if name.name == "index" else name) / "index.html" for name in names}
    assert [page for page in built if not page.exists()] == []


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    fetched = re.compile(r"""<(?:script|link|img)[^>]*(?:src|href)=["']?(https?://[^"'> ]+)""")
    found = {address for page in site.rglob("*.html") for address in fetched.findall(page.read_text(encoding="utf-8"))}
    assert found == set()


def test_the_reference_has_every_public_name_with_its_verbs(site: Path) -> None:
    told = text_of(site / "reference" / "python" / "index.html")
    assert [name for name in slowwave.__all__ if name not in told] == []
    for verb in ("MemoryScope.push", "MemoryScope.recall", "Memory.why", "AsyncMemory.connect"):
        assert verb in told


def test_the_reference_has_every_command_setting_and_endpoint(site: Path) -> None:
    from slowwave.cli import COMMANDS

    commands = text_of(site / "reference" / "commands" / "index.html")
    assert [name for name in COMMANDS if f"slowwave {name}" not in commands] == []
    settings = text_of(site / "reference" / "settings" / "index.html")
    assert [name for name in Settings.model_fields if f"SLOWWAVE_{name.upper()}" not in settings] == []
    assert "POST /v1/push" in text_of(site / "reference" / "http" / "index.html")


def test_a_link_that_leads_nowhere_fails_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("[nowhere](nowhere.md)\n")
    (tmp_path / "mkdocs.yml").write_text("site_name: planted\n")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file"]
    assert subprocess.run([*command, tmp_path / "mkdocs.yml"], capture_output=True, check=False).returncode != 0


def test_the_pack_that_a_page_shows_holds_its_cases(tmp_path: Path) -> None:
    page = (ROOT / "ops" / "docs" / "changes.md").read_text(encoding="utf-8")
    (tmp_path / "choir").mkdir()
    for name, text in re.findall(r"```yaml\n# choir/(\S+)\n(.*?)```", page, re.DOTALL):
        (tmp_path / "choir" / name).write_text(text, encoding="utf-8")

    assert load_pack(tmp_path / "choir").failures() == []


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_what_a_page_shows_in_python_runs(
    page: Path, parts: wiring.Parts, url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SLOWWAVE_URL", url)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, str(page), "exec"), names)
