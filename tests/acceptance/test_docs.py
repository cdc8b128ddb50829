"""The documentation builds, its links have targets, it lists everything public, and its examples work."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import slowwave
from slowwave import wiring
from slowwave.wiring import Settings
from tests.acceptance.pages import CONTRIBUTING, DOCS, PAGES, README, ROOT, blocks, fences, name_of, named, packs

ELSEWHERE = {
    "guides/async": "tests/integration/asynchronous",
    "guides/broker": "tests/acceptance/test_readme.py",
    "guides/clients": "tests/integration/remote",
}
"""Pages whose examples need a loop, a broker or a server. Other tests run them."""
RUN = [page for page in PAGES if blocks(page, "python") and name_of(page) not in ELSEWHERE]
SHOWN_ALONE = {"text", "toml", "ts", "json", "clips"}
"""Languages of code blocks that are not executed: output, and files that other tests read."""
SECTIONS = ["Start", "Tutorials", "How-to guides", "Reference", "Explanation"]

pytestmark = [pytest.mark.accept, pytest.mark.timeout(300)]


def build(*arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    return subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built so strictly that a warning fails it."""
    folder = tmp_path_factory.mktemp("site")
    built = build("--config-file", ROOT / "ops" / "mkdocs.yml", "--site-dir", folder)
    assert built.returncode == 0, built.stderr
    return folder


def text_of(page: Path) -> str:
    return re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8"))


def test_each_page_of_the_documentation_is_built(site: Path) -> None:
    names = [page.relative_to(DOCS).with_suffix("") for page in PAGES]
    built = {site / ("." if str(name) == "index" else name) / "index.html" for name in names}
    included = {
        "guides/contributing",
        "guides/runbook",
        "reference/glossary",
        "reference/rule-packs",
        "reference/changelog",
    }
    built |= {site / name / "index.html" for name in included}
    assert [page for page in built if not page.exists()] == []


def test_the_navigation_separates_the_four_kinds_of_page(site: Path) -> None:
    home = (site / "index.html").read_text(encoding="utf-8")
    tabs = re.findall(r'class="md-tabs__link"[^>]*>\s*(.+?)\s*<', home, re.DOTALL)
    assert tabs == SECTIONS


def test_the_search_finds_the_pages(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    found = {entry["location"].partition("#")[0] for entry in index["docs"] if "watermark" in entry["text"]}
    assert {"explanation/consolidation/", "reference/glossary/"} <= found


def test_the_site_says_its_version(site: Path) -> None:
    from importlib.metadata import version

    assert f"Slowwave {version('slowwave')}" in text_of(site / "index.html")


def test_the_site_loads_nothing_from_other_hosts(site: Path) -> None:
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


@pytest.mark.parametrize(
    ("link", "fails"),
    [
        ("[a](guides/http.md#pages-limits-errors) [b](../GLOSSARY.md#work)", False),
        ("[a](none.md)", True),
        ("[a](guides/http.md#none)", True),
        ("[a](../GLOSSARY.md#none)", True),
        ("[a](../NONE.md)", True),
    ],
)
def test_a_link_or_an_anchor_that_leads_nowhere_fails_the_build(link: str, fails: bool, tmp_path: Path) -> None:
    shutil.copytree(DOCS, tmp_path / "docs")
    config = (ROOT / "ops" / "mkdocs.yml").read_text(encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(config.replace("[reference.py]", f"[{ROOT / 'ops' / 'reference.py'}]"))
    with (tmp_path / "docs" / "index.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{link}\n")

    built = build("--config-file", tmp_path / "mkdocs.yml", "--site-dir", tmp_path / "site")

    assert (built.returncode != 0) is fails, built.stderr


def test_mike_keeps_a_copy_of_each_version(tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path / "clone")]
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(tmp_path / "clone")], check=True)
    for name, value in (("user.name", "a reader"), ("user.email", "reader@example.org")):
        subprocess.run([*git, "config", name, value], check=True)
    (line,) = re.findall(r"^\$ mike (deploy .+)$", CONTRIBUTING.read_text(encoding="utf-8"), re.MULTILINE)

    there = Path(sys.executable).parent
    done = subprocess.run(
        [there / "mike", *line.split()], cwd=tmp_path / "clone", capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": f"{there}:{os.environ['PATH']}"},
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    kept = subprocess.run([*git, "show", "gh-pages:versions.json"], capture_output=True, text=True, check=True).stdout
    assert [(one["version"], one["aliases"]) for one in json.loads(kept)] == [("0.1", ["latest"])]


def test_the_comparison_runs_without_the_others(tmp_path: Path) -> None:
    (line,) = re.findall(
        r"^\$ \S+ (-m ops\.peers .+) --python \S+$", named("explanation/comparison").read_text(), re.MULTILINE
    )
    command = [sys.executable, *re.sub(r"--turns \d+", "--turns 60", line).split()]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    head, row = done.stdout.splitlines()
    assert head.split()[:4] == ["R@1", "R@5", "R@10", "episodes/s"]
    assert row.split()[0] == "slowwave"


@pytest.mark.parametrize("page", [README, CONTRIBUTING, *PAGES], ids=name_of)
def test_each_code_block_of_a_page_is_tested(page: Path) -> None:
    run = {"python", "sh", "bash", "console"}
    files = {text for pack in packs(page).values() for text in pack.values()}
    untested = [
        info
        for info, text in fences(page)
        if info not in run | SHOWN_ALONE and text not in files and not re.fullmatch(r'\w+ title="[^"]+"', info)
    ]
    assert untested == []


@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_the_python_blocks_of_a_page_run(
    page: Path, parts: wiring.Parts, url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SLOWWAVE_URL", url)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)
