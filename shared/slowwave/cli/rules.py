"""`slowwave rules`: checks packs against their test cases and each other, and lists rejected claims of models."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click

from slowwave.cli.options import in_tenant, json_option
from slowwave.cli.options.choices import limit_option
from slowwave.cli.packs.dry_run import backtest, dry_run
from slowwave.cli.packs.pack_argument import (
    AnyPack,
    Replied,
    changed_here,
    folder_of,
    installed,
    loaded,
    refused_here,
    replied,
    require_provider,
)
from slowwave.cli.printing import cell, console, in_a_line, print_json, table, utc
from slowwave.errors import Fault, Incorrect, Unavailable
from slowwave.formatting import counted
from slowwave.rules.cases import FailedCase
from slowwave.rules.model_packs.pack import ReaderPack
from slowwave.rules.predicates import Declared, disputes, load_predicates
from slowwave.wiring import Parts, Settings

Ask = Callable[[ReaderPack], Replied]


@click.group
def rules_command() -> None:
    """Check rule packs against their test cases, and preview their effects."""


rules_command.add_command(dry_run)
rules_command.add_command(backtest)


@rules_command.command
@click.argument("pack", required=False)
@click.option("--live", is_flag=True, help="Call the configured model instead of reading recorded replies.")
def check(pack: str | None, live: bool) -> None:
    """Run the test cases of PACK, or of all installed packs.

    The command warns of a pack that has changed since the running installation registered it, but has the same version.
    The exit status is 1 when a case fails. PACK is the name or the folder of a pack. Packs that disagree about a
    predicate also fail. If a pack needs a model, the command uses recorded replies; with --live, it calls the model for
    each case, which costs money. With --live, a pack also fails if it changes a predicate with stored facts from
    single-valued to multi-valued, or back.
    """
    settings = Settings.load()
    rules, provider = settings.rules, require_provider(settings) if live else None
    known = installed(rules)
    folder = None if pack is None else folder_of(pack, known, rules)
    asked = known if folder is None else {folder.name: folder}
    packs, wrong = _loaded({**known, **asked}, load_predicates(rules))
    wrong |= disputes({name: loaded.declared for name, loaded in packs.items()})
    if live:
        wrong = {**refused_here(settings, packs), **wrong}
    ask = partial(replied, provider=provider, settings=settings) if provider else None
    for warning in changed_here(settings, [packs[name] for name in asked if name in packs]):
        click.echo(str(warning), err=True)
    failed = [name for name in asked if not _holds(name, packs.get(name), wrong.get(name), ask)]
    if failed:
        sys.exit(1)


@rules_command.command
@limit_option(50, "claims, latest first", None, former="--most")
@in_tenant
@json_option
def rejected(limit: int, parts: Parts, as_json: bool) -> None:
    """List the rejected claims of models, each with the reason."""
    found = parts.records.rejected(parts.settings.tenant, most=limit)
    if as_json:
        return print_json(found)
    if not found:
        return click.echo("no claim was rejected")
    for reason, count in Counter(one.reason for one in found).most_common():
        click.echo(f"{count:>5}  {reason}")
    made = table("at", "user", "position", "pack", "reason", "said", right=["position"])
    for one in found:
        text = in_a_line(json.dumps(one.said, ensure_ascii=False)) if one.said is not None else "erased"
        made.add_row(utc(one.at), cell(one.user), str(one.position), one.pack, cell(one.reason), cell(text))
    console().print(made)


def _loaded(folders: dict[str, Path], shared: list[Declared]) -> tuple[dict[str, AnyPack], dict[str, Incorrect]]:
    """Return the packs that load, and the errors of the others."""
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
    answers = ask(pack)
    click.echo(f"{pack.pack} {pack.version}: asked, {answers.prompt_tokens} tokens and {answers.reply_tokens} in reply")
    return pack.failures(answers.replies)
