"""Pages of the documentation made from docstrings, OpenAPI, commands and settings, or included from the checkout."""

import inspect
import os
import posixpath
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import slowwave
from slowwave import Memory, wiring
from slowwave.api.app import create_app
from slowwave.cli import cli
from slowwave.domain.personal_data import BEYOND, FILES, KEYS, TABLES
from slowwave.store.encryption.columns import ENCRYPTED
from slowwave.wiring import Settings

ROOT = Path(__file__).parents[1]
INCLUDED = {
    "guides/contributing.md": "ops/CONTRIBUTING.md",
    "guides/runbook.md": "ops/RUNBOOK.md",
    "reference/changelog.md": "CHANGELOG.md",
    "reference/glossary.md": "ops/GLOSSARY.md",
    "reference/rule-packs.md": "rules/README.md",
    **{f"explanation/decisions/{page.name}": f"ops/decisions/{page.name}" for page in ROOT.glob("ops/decisions/*.md")},
}
"""Pages of the site whose text lies in another place of the checkout, where people without the site look for it."""
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?![a-z]+:|#)([^)#\s]*)(#[^)\s]*)?\)")
"""A link to a file of the checkout: its words, the path, the anchor."""
FENCED = re.compile(r"(^```.*?^```[^\S\n]*$)", re.MULTILINE | re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Return *config* with the version of the library at the foot of every page."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    config.copyright = f"Slowwave {version}"
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return *files* with the pages that are generated, and those whose text lies elsewhere in the checkout."""
    for name, page in PAGES.items():
        files.append(File.generated(config, f"reference/{name}.md", content="\n".join(page())))
    for name, path in INCLUDED.items():
        files.append(File.generated(config, name, content=(ROOT / path).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 - mkdocs names them
    """Return the page with links that work on the site; in the checkout they lead to files."""
    return relinked(markdown, page.file.src_uri)


def relinked(markdown: str, name: str) -> str:
    """Return *markdown* of the page *name* with links between files of the checkout as links between pages.

    A link to a file that is no page keeps its words alone. One that leads nowhere stays, and fails the build.
    """
    source = INCLUDED.get(name, f"ops/docs/{name}")
    pages = {path: page for page, path in INCLUDED.items()}

    def page_link(link: re.Match[str]) -> str:
        words, target, anchor = link[1], link[2], link[3] or ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        page = path.removeprefix("ops/docs/") if path.startswith("ops/docs/") else pages.get(path)
        if page is None:
            return words if (ROOT / path).exists() else link[0]
        return f"[{words}]({os.path.relpath(page, posixpath.dirname(name) or '.')}{anchor})"

    parts = FENCED.split(markdown)
    return "".join(part if part.startswith("```") else LINK.sub(page_link, part) for part in parts)


def python() -> Iterator[str]:
    """Give the lines of the page of every public name, with what each verb takes and returns."""
    yield "# Python\n"
    for name in sorted(slowwave.__all__):
        public = getattr(slowwave, name)
        yield f"## {name}\n"
        yield f"{_doc(public)}\n"
        for verb, member in _members(public):
            yield f"### {name}.{verb}\n"
            yield f"```python\n{verb}{_signature(member)}\n```\n"
            yield f"{_doc(member)}\n"


def http() -> Iterator[str]:
    """Give the lines of the page of every operation of the API."""
    parts = wiring.connect(Settings.load(url="postgresql://slowwave@nowhere/slowwave"))  # never connected to
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


def places() -> Iterator[str]:
    """Give the lines of the page of every place that stores a person's words, and what an erasure does there."""
    yield "# Where content is stored\n\nEvery place that stores words or names of a person, and what an "
    yield "[erasure](../guides/forget.md) does there. A test fills an installation with planted words, and fails for a "
    yield "table, key or file with words that is not in this list. [Encryption at rest](../guides/encryption.md) "
    yield "encrypts only the columns that the first table calls encrypted.\n\n## Tables\n"
    yield "| table | columns | encrypted | erased |\n|---|---|---|---|"
    for name, table in TABLES.items():
        if table.words or table.erased:
            hidden = [word for word in table.words if word in ENCRYPTED.get(name, ())]
            yield f"| `{name}` | {_names(table.words)} | {_names(hidden)} | {table.erased} |"
    for title, found in (("Redis keys", KEYS), ("Files", FILES)):
        yield f"\n## {title}\n\n| name | holds | erased |\n|---|---|---|"
        yield from (f"| `{one.name}` | {one.holds} | {one.erased} |" for one in found)
    yield "\n## Out of reach\n"
    yield from (f"- {line}" for line in BEYOND)


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "commands": commands, "http": http, "places": places, "python": python, "settings": settings,
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


def _doc(thing: Any) -> str:
    return inspect.getdoc(thing) or ""


def _helps(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            sub = command.get_command(context, name)
            if sub is not None:
                yield from _helps(sub, click.Context(sub, info_name=name, parent=context))


def _names(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
