"""`slowwave forget`: erases a user, a session, a fact or every match of a text."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from slowwave.cli.options import json_option, opened, tenant_option
from slowwave.cli.printing import one_line, print_json, print_listing, short, utc
from slowwave.domain.erasure import Erasure
from slowwave.errors import Incorrect
from slowwave.formatting import counted
from slowwave.memory import Memory


@click.command
@click.option(
    "--user", metavar="NAME", help="Erase this user; with --session or --matching, only the matches of this user."
)
@click.option("--session", metavar="NAME", help="Erase this conversation.")
@click.option("--fact", metavar="ID", help="Erase this fact, with the whole episodes that support it.")
@click.option("--matching", metavar="WORDS", help="Erase every episode and fact that contains these words.")
@click.option("--agent", metavar="NAME", help="Only in this agent's memory of the user, in one channel.")
@click.option("--channel", metavar="NAME", help="The channel; _global by default.")
@click.option("--preview", is_flag=True, help="Show what would be erased, and erase nothing.")
@click.option("--yes", is_flag=True, help="Do not ask; for scripts.")
@click.option("--learn-again", is_flag=True, help="Learn erased facts again if somebody says them again.")
@click.option(
    "--later",
    is_flag=True,
    help="Lock no table: leave the rewriting of tables, statistics and log to a later --rewrite.",
)
@click.option(
    "--rewrite", is_flag=True, help="Rewrite tables, statistics and log for earlier erasures that lack this step."
)
@click.option("--list", "listed", is_flag=True, help="List the receipts of the latest erasures.")
@click.option("--verify", metavar="FILE", help="Check the signature of a receipt: a file with the output of --json.")
@tenant_option
@json_option
def forget_command(
    user: str | None, session: str | None, fact: str | None, matching: str | None, agent: str | None,
    channel: str | None, preview: bool, yes: bool, learn_again: bool, later: bool, rewrite: bool, listed: bool,
    verify: str | None, tenant: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Erase a user, a session, a fact or every match of a text, for good: in tables, indexes, caches, logs and queues.

    The command first shows what would be erased, and asks you to confirm it. To finish an interrupted erasure, repeat
    the command. The receipt lists the finished steps, the open steps, and the places that no erasure reaches, such as
    old backups.
    """
    if agent is not None and user is None:
        raise click.UsageError("--agent needs --user")
    if channel is not None and agent is None:
        raise click.UsageError("--channel needs --agent")
    with opened(tenant) as parts:
        memory = Memory(parts)
        if listed:
            return print_listing(
                memory.erasures(), as_json=as_json, none="there are no erasures",
                columns=["erasure", "what", "asked", "erased", "rewritten", "scopes", "rows"],
                row=lambda one: [
                    short(one.id) if one.id else "", one.kind, utc(one.asked), utc(one.erased), utc(one.rewritten),
                    str(one.scopes), str(sum(one.counts.values())),
                ],
            )  # fmt: skip
        if verify is not None:
            return _verify(memory, verify)
        if rewrite:
            return _rewrite(memory, as_json)
        asked: dict[str, Any] = {"session": session, "fact": fact, "matching": matching}
        if agent is None or user is None:
            forget, asked = memory.forget, {**asked, "user": user}
        else:
            forget = memory.scope(user, agent=agent, channel=channel).forget  # type: ignore[assignment]  # a narrower verb
        seen = forget(**asked, preview=True)
        if preview:
            return print_json(seen) if as_json else _preview(seen)
        if not yes:
            _preview(seen)
            click.confirm("Forget this for good?", abort=True)
        done = forget(**asked, confirm=seen.token, learn_again=learn_again, rewrite=not later)
    print_json(done) if as_json else _receipt(done)


def _preview(seen: Erasure) -> None:
    for name, words in (("episode", seen.episodes), ("fact", seen.facts)):
        for each in words:
            click.echo(f"{name}: {one_line(each)}")
    counts = ", ".join(counted(count, name) for name, count in seen.counts.items())
    click.echo(f"{counts} in {counted(seen.scopes, 'scopes')} would be erased, with everything derived from them")
    if seen.under_legal_hold:
        click.echo("a legal hold forbids this: `slowwave archive holds` shows the hold and its reason")


def _receipt(done: Erasure) -> None:
    rows = counted(sum(done.counts.values()), "rows")
    click.echo(f"erasure {done.id}: {rows} in {counted(len(done.counts), 'tables')}, erased {utc(done.erased)}")
    if done.rewritten is not None:
        click.echo(f"tables, indexes, statistics and log rewritten {utc(done.rewritten)}")
    if done.calls:
        click.echo(f"a provider was sent some of it, in calls {', '.join(map(str, done.calls))}")
    for line in done.todo:
        click.echo(f"to do: {line}")
    for line in done.beyond:
        click.echo(f"out of reach: {line}")


def _verify(memory: Memory, file: str) -> None:
    try:
        parsed = json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Incorrect(f"{file} is not a receipt", hint="give a file with the output of --json") from error
    if not memory.verify_erasure(parsed):
        click.echo("BAD  this receipt was changed, or another tenant's key signed it")
        sys.exit(1)
    click.echo("this receipt is genuine and unchanged")


def _rewrite(memory: Memory, as_json: bool) -> None:
    count = memory.rewrite_erased()
    if as_json:
        return print_json({"rewritten": count})
    click.echo(
        f"{counted(count, 'erasures')} rewritten"
        if count
        else "no erasure needs this step, or the address of the owner is not known"
    )
