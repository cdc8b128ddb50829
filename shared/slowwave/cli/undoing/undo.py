"""`slowwave undo`: undoes a run, a delta, a pack or everything since a time."""

import getpass
from datetime import datetime

import click

from slowwave.cli.options import Instant, json_option, opened, tenant_option
from slowwave.cli.printing import cell, console, print_json, short, table, utc
from slowwave.cli.undoing.shown import show
from slowwave.domain.scope import GLOBAL_CHANNEL
from slowwave.domain.undo import Undone
from slowwave.memory import Memory


@click.command
@click.argument("what", default="", metavar="[WHAT]")
@click.option(
    "--since",
    type=Instant(),
    help="Undo the decisions of all runs since this time; if WHAT is a pack, only the decisions of its runs.",
)
@click.option("--user", metavar="NAME", help="Only in this user's memory.")
@click.option("--agent", metavar="NAME", help="Only in this agent's memory of the user; `default` by default.")
@click.option("--channel", metavar="NAME", help="Only in this channel; _global by default.")
@click.option("--by", default=getpass.getuser, show_default="your login name", help="The person who undoes it.")
@click.option("--reason", default="", metavar="TEXT", help="The reason, which `slowwave why` shows.")
@click.option("--preview", is_flag=True, help="Show what would change, and write nothing.")
@click.option("--list", "listed", is_flag=True, help="List the latest undos instead.")
@tenant_option
@json_option
def command(
    what: str, since: datetime | None, user: str | None, agent: str | None, channel: str | None, by: str, reason: str,
    preview: bool, listed: bool, tenant: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Undo WHAT: new deltas change the facts as if WHAT had never happened. No stored delta changes.

    WHAT is the number of a run, the id of a delta, PACK@VERSION for all runs of that version, or an earlier undo,
    named by its id or run. The output names the later runs that built on WHAT. Slowwave decides the claims of these
    runs again, but does not read the episodes again.
    """
    if user is None and (agent or channel):
        raise click.UsageError("--agent and --channel need --user")
    if listed and (what or since):
        raise click.UsageError("--list shows every undo: leave out WHAT and --since")
    with opened(tenant) as parts:
        memory = Memory(parts)
        scope = None if user is None else memory.scope(user, agent=agent, channel=channel or GLOBAL_CHANNEL)
        if listed:
            return _list(memory.undos() if scope is None else scope.undos(), as_json)
        undo = memory.undo if scope is None else scope.undo
        done = undo(what or None, since=since, by=by, reason=reason, preview=preview)
    print_json(done) if as_json else show(done)


def _list(found: list[Undone], as_json: bool) -> None:
    if as_json:
        return print_json(found)
    if not found:
        return click.echo("there are no undos")
    made = table("undo", "when", "what", "by", "reason", "state", "withdrew", "restored", "changed")
    for one in found:
        assert one.id
        made.add_row(
            short(one.id), utc(one.at), cell(one.what), cell(one.by), cell(one.reason), one.state,
            str(len(one.withdrawn)), str(len(one.restored)), str(len(one.changed)),
        )  # fmt: skip
    console().print(made)
