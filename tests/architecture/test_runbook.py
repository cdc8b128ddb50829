"""Every command that an operator is told to type is one that the programs take: there is no engine here to try them."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from slowwave.cli import cli
from slowwave.embedded_services.binaries import require_postgres_wheel
from tests.unit.tables import over

ROOT = Path(__file__).parents[2]
BASE, AGENTS = ("docker-compose.yml", "ops/compose.agents.yml")
PAGES = ("ops/RUNBOOK.md", "README.md", "ops/CONTRIBUTING.md", BASE, AGENTS)
DOCS = sorted((ROOT / "ops/docs").rglob("*.md"))
TAKES = {
    "up": {"--build", "--detach", "--wait", "--force-recreate", "--scale"},
    "exec": {"-T"},
    "stop": set[str](),
}
"""The options of `docker compose` we use, by its reference; `--scale` takes a value."""
PROGRAMS = {"psql", "pg_dump", "pg_restore", "dropdb"}
KNOWN = {"docker", "slowwave", "umask", "ops/new-env", "ops/pin-images", "sh", "cat", "make", "export", *PROGRAMS}
KNOWN |= {"mike", "perl", "python"}
RECIPES = set(re.findall(r'^\+    "(\w+)": \("', (ROOT / "ops/CONTRIBUTING.md").read_text(encoding="utf-8"), re.M))
"""Commands that a recipe of the contributors' page adds; its own test runs them."""
BEGINS = re.compile(r"(docker compose|slowwave|ops/[\w-]+|make [a-z]+$|\$bin/)")


def told(page: str) -> Iterator[str]:
    """Give what a page tells to type: blocks of the console, spans of code that begin like one, comments of YAML."""
    text = (ROOT / page).read_text(encoding="utf-8")
    if page.endswith(".yml"):
        yield from re.findall(r"^#   ((?:docker|\().+?)(?: {3,}.*)?$", text, re.M)
        return
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        yield from block.splitlines()
    yield from spans(text)


def spans(text: str) -> Iterator[str]:
    """Give the spans of code in the prose of a page that begin like a command."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    yield from (
        " ".join(span.split()) for span in re.findall(r"(?<!`)`([^`]+)`", prose) if BEGINS.match(span) and " " in span
    )


def calls(line: str) -> Iterator[list[str]]:
    """Give the words of each program that *line* starts, without where they read from and write to."""
    words = shlex.shlex(re.sub(r"\s+#.*$", "", re.sub(r"^\$ ", "", line)), posix=True, punctuation_chars=True)
    words.whitespace_split = True
    call: list[str] = []
    for word in [*words, ";"]:
        if set(word) <= set("|;()&"):
            if call:
                yield re.split(r"\0", re.sub(r"\0?[<>]+\0[^\0]+", "", "\0".join(call)))
            call = []
        else:
            call.append(word)


GUIDES = [
    (page.stem, re.sub(r"^\$ ", "", line))
    for page in DOCS
    for block in re.findall(r"```(?:sh|bash|console)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    for line in block.splitlines()
    if re.match(r"(\$ )?(slowwave|docker) ", line)
] + [(page.stem, span) for page in DOCS for span in spans(page.read_text(encoding="utf-8"))]
COMMANDS = [(page, line) for page in PAGES for line in told(page) if line.strip() and not re.match(r"\w+=", line)]


@over([*GUIDES, *COMMANDS])
def test_each_command_of_a_page_is_valid_for_its_program(page: str, line: str) -> None:
    check_line(line)


def test_the_commands_of_the_pages_are_extracted() -> None:
    assert len([line for page, line in COMMANDS if page == "ops/RUNBOOK.md"]) >= 20
    assert {call[0] for _, line in COMMANDS for call in calls(line)} >= {"docker", "slowwave", "make", "$bin/pg_dump"}


@pytest.mark.parametrize(
    "wrong",
    [
        "docker compose up --detatch", "docker compose stop workers", "docker compose exec worker slowwave chek",
        "docker compose --file ops/none.yml up", "slowwave check --al", "pg_restore --creat --dbname=postgres",
        "docker compose exec -T postgres sh -c 'cat /docker-entrypoint-initdb.d/9-*.sql | psql'", "make nothing",
    ],
)  # fmt: skip
def test_an_invalid_command_is_found(wrong: str) -> None:
    with pytest.raises((AssertionError, click.ClickException)):
        check_line(wrong)


def check_line(line: str) -> None:
    """Fail where a program that *line* starts would refuse its words."""
    for call in calls(line):
        check(call)


def check(call: list[str]) -> None:
    """Fail where the program would refuse the words of *call*."""
    program, *words = call
    program = program.removeprefix("$bin/").removeprefix(".venv/bin/")
    assert program in KNOWN, program
    if program == "docker":
        return compose(words)
    if program == "slowwave":
        return ours(words)
    if program in PROGRAMS:
        assert {word.partition("=")[0] for word in words if word.startswith("-")} <= options(program), call
    elif program == "make":
        assert set(words) <= set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    elif program in ("python", "mike"):
        assert [word for word in words if re.search(r"\.(py|yml)$", word) and not made(word)] == [], call
    elif program == "sh":
        check_line(words[1])
    elif program == "cat":
        assert [name for name in initial() if Path(name).match(words[0])], words
    elif "/" in program:
        assert (ROOT / program).stat().st_mode & 0o100


def made(file: str) -> bool:
    """Return whether there is a *file*, or the recipe of a page makes it."""
    return (ROOT / file).is_file() or f'title="{file}"' in (ROOT / "ops/CONTRIBUTING.md").read_text(encoding="utf-8")


def ours(words: list[str]) -> None:
    """Fail where the command would refuse *words*; one that stands for any number ends the line."""
    if words[0] in RECIPES:
        return
    group: click.Command | None = cli
    rest = [word for word in words if not re.search(r"[…\[\]]", word)]
    while isinstance(group, click.Group) and rest and not rest[0].startswith("-"):
        group = group.get_command(click.Context(group), rest.pop(0))
    assert group is not None, words
    known = {name for parameter in group.params for name in parameter.opts} | {"--help"}
    assert {word for word in rest if word.startswith("-")} <= known, words


def compose(words: list[str]) -> None:
    """Fail where `docker compose` would refuse *words*: files, services and options are those there are."""
    assert words.pop(0) == "compose"
    given: dict[str, list[str]] = {"--file": [], "--profile": []}
    while words[0] in given:
        given[words[0]].append(words[1])
        del words[:2]
    services = merged(*(given["--file"] or [BASE]))["services"]
    assert set(given["--profile"]) <= {name for service in services.values() for name in service.get("profiles", [])}
    known = services.keys()
    verb = words.pop(0)
    while words and words[0].startswith("-"):
        option = words.pop(0)
        assert option in TAKES[verb], option
        assert option != "--scale" or words.pop(0).partition("=")[0] in known
    if verb == "exec":
        assert words.pop(0) in known
        return check(words)
    assert set(words) <= set(known), words


def merged(*files: str) -> dict[str, Any]:
    """Return what compose makes of *files*: mappings are joined, lists put one after the other."""

    def joined(one: Any, other: Any) -> Any:
        if isinstance(one, dict) and isinstance(other, dict):
            return one | {key: joined(one[key], value) if key in one else value for key, value in other.items()}
        return one + other if isinstance(one, list) and isinstance(other, list) else other

    made: dict[str, Any] = {}
    for file in files:
        assert (ROOT / file).is_file(), file
        made = joined(made, yaml.safe_load((ROOT / file).read_text(encoding="utf-8")))
    return made


def test_the_agents_compose_file_only_publishes_ports() -> None:
    alone, opened = merged(BASE), merged(BASE, AGENTS)
    ports = [port for service in opened["services"].values() for port in service.get("ports", [])]

    assert opened["services"].keys() == alone["services"].keys()
    assert opened["secrets"] == alone["secrets"]
    for name, service in opened["services"].items():
        assert {key: value for key, value in service.items() if key != "ports"} == {
            key: value for key, value in alone["services"][name].items() if key != "ports"
        }
        assert service.keys() >= {"image", "mem_limit", "logging"}
        assert name == "migrate" or "healthcheck" in service
        assert set(service.get("secrets", [])) <= opened["secrets"].keys()
    assert len({re.sub(r".*:-(\d+)\}.*", r"\1", port) for port in ports}) == len(ports) == 7
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_the_page_names_the_folder_of_the_programs() -> None:
    (found,) = re.findall(r"^bin=\$\(\.venv/bin/python -c '(.+)'\)$", (ROOT / PAGES[0]).read_text(), re.M)
    said = subprocess.run([sys.executable, "-c", found], capture_output=True, text=True, check=True).stdout.strip()
    assert all((Path(said) / program).is_file() for program in PROGRAMS)


@cache
def options(program: str) -> set[str]:
    """Return the options that *program* says it has."""
    path = require_postgres_wheel() / "pginstall18/bin" / program
    said = subprocess.run([path, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", said))


def initial() -> list[str]:
    """Return the scripts of the first start, as they lie in the image."""
    dockerfile = (ROOT / "ops/postgres/Dockerfile").read_text(encoding="utf-8")
    return re.findall(r"^COPY \S+ (/docker-entrypoint-initdb\.d/\S+)$", dockerfile, re.M)
