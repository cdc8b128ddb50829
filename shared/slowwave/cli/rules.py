"""`slowwave rules`: packs against their own cases."""

import sys
from pathlib import Path

import click

from slowwave.errors import Incorrect, NotFound
from slowwave.rules import Pack, find_pack_folders, load_pack
from slowwave.wiring import Settings
from slowwave.words import counted


@click.group
def command() -> None:
    """Check rule packs against their own cases."""


@command.command
@click.argument("pack", required=False)
def check(pack: str | None) -> None:
    """Check PACK, a name or a folder, or every pack there is. The status is 1 when a case fails."""
    failed = False
    for name, folder in _folders(pack).items():
        try:
            loaded = load_pack(folder)
        except Incorrect as error:
            click.echo(str(error), err=True)
            failed = True
            continue
        failed |= not _holds(name, loaded)
    if failed:
        sys.exit(1)


def _folders(pack: str | None) -> dict[str, Path]:
    rules = Settings.load().rules
    found = dict(find_pack_folders([rules] if rules else []))
    if pack is None:
        return found
    if pack in found:
        return {pack: found[pack]}
    if Path(pack).is_dir():
        return {pack: Path(pack)}
    raise NotFound(f"there is no rule pack {pack!r}", hint=f"there are: {', '.join(sorted(found)) or 'none'}")


def _holds(name: str, pack: Pack) -> bool:
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
