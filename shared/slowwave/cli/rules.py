"""`slowwave rules`: packs against their own cases and each other, and what of a model's claims was rejected."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click

from slowwave.cli.options import json_option, opened, tenant_option
from slowwave.cli.packs.asked import AnyPack, folder_of, installed, loaded
from slowwave.cli.packs.live import Replied, refused_here, replied, somebody_to_ask
from slowwave.cli.packs.trying import backtest, dry_run
from slowwave.cli.printing import cell, console, in_a_line, print_json, table, utc
from slowwave.errors import Fault, Incorrect, Unavailable
from slowwave.rules.checking import FailedCase
from slowwave.rules.predicates import Declared, disputes, load_predicates
from slowwave.rules.reader.pack import ReaderPack
from slowwave.wiring import Settings
from slowwave.words import counted

Ask = Callable[[ReaderPack], Replied]


@click.group
def command() -> None:
    """Check rule packs against their own cases, and try them before they are let loose."""


command.add_command(dry_run)
command.add_command(backtest)


@command.command
@click.argument("pack", required=False)
@click.option("--live", is_flag=True, help="Ask the model of the settings, instead of reading recorded replies.")
def check(pack: str | None, live: bool) -> None:
    """Check PACK, a name or a folder, or every pack that is installed. The status is 1 when a case fails.

    Packs that disagree about a predicate fail, too. The cases of a pack that needs a model are read with their recorded
    replies; with --live the model is asked about each of them, and paid, and packs fail that could not be registered
    here, since they give a predicate of which facts are held another number of values.
    """
    settings = Settings.load()
    rules, provider = settings.rules, somebody_to_ask(settings) if live else None
    known = installed(rules)
    folder = None if pack is None else folder_of(pack, known)
    asked = known if folder is None else {folder.name: folder}
    packs, wrong = _loaded({**known, **asked}, load_predicates(rules))
    wrong |= disputes({name: loaded.declared for name, loaded in packs.items()})
    if live:
        wrong = {**refused_here(settings, packs), **wrong}
    ask = partial(replied, provider=provider, settings=settings) if provider else None
    failed = [name for name in asked if not _holds(name, packs.get(name), wrong.get(name), ask)]
    if failed:
        sys.exit(1)


@command.command
@click.option("--most", type=click.IntRange(min=1), default=50, help="At most so many, the latest first.")
@tenant_option
@json_option
def rejected(most: int, tenant: str | None, as_json: bool) -> None:
    """List the claims of models that were dropped, each with the reason."""
    with opened(tenant) as parts:
        found = parts.records.rejected(parts.settings.tenant, most=most)
    if as_json:
        return print_json(found)
    if not found:
        return click.echo("no claim was rejected")
    for reason, count in Counter(one.reason for one in found).most_common():
        click.echo(f"{count:>5}  {reason}")
    made = table("at", "user", "position", "pack", "reason", "said", right=["position"])
    for one in found:
        said = in_a_line(json.dumps(one.said, ensure_ascii=False)) if one.said is not None else "erased"
        made.add_row(utc(one.at), cell(one.user), str(one.position), one.pack, cell(one.reason), cell(said))
    console().print(made)


def _loaded(folders: dict[str, Path], shared: list[Declared]) -> tuple[dict[str, AnyPack], dict[str, Incorrect]]:
    """The packs that load, and why others do not."""
    packs, wrong = dict[str, AnyPack](), dict[str, Incorrect]()
    for name, folder in folders.items():
        try:
            packs[name] = loaded(folder, shared)
        except Incorrect as error:
            wrong[name] = error
    return packs, wrong


def _holds(name: str, pack: AnyPack | None, wrong: Incorrect | None, ask: Ask | None) -> bool:
    if wrong is not None or pack is None:
        click.echo(str(wrong), err=True)
        return False
    try:
        failures = _failures(pack, ask)
    except (Fault, Unavailable) as error:
        click.echo(f"{name} {pack.version}: {error}", err=True)
        return False
    for failure in failures:
        click.echo(f"{name}: {failure}", err=True)
    count = counted(len(pack.cases), "cases")
    click.echo(
        f"{name} {pack.version}: {len(failures)} of {count} failed"
        if failures
        else f"{name} {pack.version}: {count} {'holds' if len(pack.cases) == 1 else 'hold'}"
    )
    return not failures


def _failures(pack: AnyPack, ask: Ask | None) -> Sequence[FailedCase]:
    if ask is None or not isinstance(pack, ReaderPack):
        return pack.failures()
    said = ask(pack)
    click.echo(f"{pack.pack} {pack.version}: asked, {said.prompt_tokens} tokens and {said.reply_tokens} in reply")
    return pack.failures(said.replies)
