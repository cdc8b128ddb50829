"""`slowwave rules`: packs against their own cases, and against each other."""

import sys
from pathlib import Path

import click

from slowwave.errors import Incorrect, NotFound
from slowwave.rules import Pack, find_pack_folders, load_pack
from slowwave.rules.predicates import Declared, disputes, load_predicates
from slowwave.wiring import Settings
from slowwave.words import counted


@click.group
def command() -> None:
    """Check rule packs against their own cases."""


@command.command
@click.argument("pack", required=False)
def check(pack: str | None) -> None:
    """Check PACK, a name or a folder, or every pack there is. The status is 1 when a case fails.

    Packs that disagree about a predicate fail, too.
    """
    rules = Settings.load().rules
    installed = find_pack_folders([rules] if rules else [])
    asked = _asked(pack, installed)
    shared = load_predicates(rules)
    packs, wrong = _loaded({**installed, **asked}, shared)
    wrong |= disputes({name: loaded.declared for name, loaded in packs.items()})
    failed = [name for name in asked if not _holds(name, packs.get(name), wrong.get(name))]
    if failed:
        sys.exit(1)


def _asked(pack: str | None, installed: dict[str, Path]) -> dict[str, Path]:
    if pack is None:
        return installed
    if pack in installed:
        return {pack: installed[pack]}
    if Path(pack).is_dir():
        return {Path(pack).resolve().name: Path(pack)}
    raise NotFound(f"there is no rule pack {pack!r}", hint=f"there are: {', '.join(sorted(installed)) or 'none'}")


def _loaded(folders: dict[str, Path], shared: list[Declared]) -> tuple[dict[str, Pack], dict[str, Incorrect]]:
    """The packs that load, and why others do not."""
    packs, wrong = dict[str, Pack](), dict[str, Incorrect]()
    for name, folder in folders.items():
        try:
            packs[name] = load_pack(folder, shared=shared)
        except Incorrect as error:
            wrong[name] = error
    return packs, wrong


def _holds(name: str, pack: Pack | None, wrong: Incorrect | None) -> bool:
    if wrong is not None or pack is None:
        click.echo(str(wrong), err=True)
        return False
    failures = pack.failures()
    for failure in failures:
        click.echo(f"{name}: {failure}", err=True)
    count = counted(len(pack.cases), "cases")
    click.echo(
        f"{name} {pack.version}: {len(failures)} of {count} failed"
        if failures
        else f"{name} {pack.version}: {count} {'holds' if len(pack.cases) == 1 else 'hold'}"
    )
    return not failures
