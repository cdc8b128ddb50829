"""The reference pages of the documentation: from docstrings, the OpenAPI document, the commands and the settings."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import slowwave
from slowwave import Memory, wiring
from slowwave.api.app import create_app
from slowwave.cli import cli
from slowwave.wiring import Settings


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return *files* with the pages of the reference, which stand in no folder."""
    for name, page in PAGES.items():
        files.append(File.generated(config, f"reference/{name}.md", content="\n".join(page())))
    return files


def python() -> Iterator[str]:
    """Give the lines of the page of every public name, with what each verb takes and returns."""
    yield "# Python\n"
    for name in sorted(slowwave.__all__):
        public = getattr(slowwave, name)
        yield f"## {name}\n"
        yield f"{_said(public)}\n"
        for verb, member in _members(public):
            yield f"### {name}.{verb}\n"
            yield f"```python\n{verb}{_signature(member)}\n```\n"
            yield f"{_said(member)}\n"


def http() -> Iterator[str]:
    """Give the lines of the page of every operation of the API."""
    parts = wiring.connect(Settings.load(url="postgresql://slowwave@nowhere/slowwave"))  # which nobody opens
    document = create_app(Memory(parts)).openapi()
    parts.close()
    yield "# HTTP\n"
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            yield f"## {method.upper()} {path}\n"
            yield f"{operation.get('summary', '')}\n\n{operation.get('description', '')}\n"
            for status, answer in operation["responses"].items():
                yield f"- `{status}` {answer['description']}"
            yield ""


def commands() -> Iterator[str]:
    """Give the lines of the page of every command, with its help."""
    yield "# Commands\n"
    yield from _helps(cli, click.Context(cli, info_name="slowwave"))


def settings() -> Iterator[str]:
    """Give the lines of the page of every setting, its variable, its default and what it does."""
    yield "# Settings\n\n| variable | default | what it does |\n|---|---|---|"
    for name, field in sorted(Settings.model_fields.items()):
        default = "" if field.is_required() or field.default in (None, "") else f"`{field.default}`"
        yield f"| `SLOWWAVE_{name.upper()}` | {default} | {_line(field.description or '')} |"


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "commands": commands, "http": http, "python": python, "settings": settings,
}  # fmt: skip


def _members(public: Any) -> Iterator[tuple[str, Any]]:
    for name, member in inspect.getmembers(public):
        if name.startswith("_") or not (inspect.isroutine(member) or isinstance(member, property)):
            continue
        if _home(member).startswith("slowwave"):
            yield name, member


def _home(member: Any) -> str:
    return getattr(member.fget if isinstance(member, property) else member, "__module__", None) or ""


def _signature(member: Any) -> str:
    if isinstance(member, property):
        return ""
    try:
        return str(inspect.signature(member))
    except ValueError:
        return "(…)"


def _said(thing: Any) -> str:
    return inspect.getdoc(thing) or ""


def _helps(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            sub = command.get_command(context, name)
            if sub is not None:
                yield from _helps(sub, click.Context(sub, info_name=name, parent=context))


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
