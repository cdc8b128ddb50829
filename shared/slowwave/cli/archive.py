"""`slowwave archive`: archived conversations, a preview of future archiving, and legal holds."""

import uuid
from collections.abc import Mapping, Sequence

import click

from slowwave.cli.options import ScopeOptions, in_tenant, json_option, opened, scope_options
from slowwave.cli.options.choices import Listing
from slowwave.cli.printing import cell, console, day, natural, owner_text, print_json, print_listing, short, utc
from slowwave.domain.retention import Leaving
from slowwave.errors import Incorrect
from slowwave.formatting import counted
from slowwave.memory import Memory
from slowwave.wiring import Parts

SHOWN = 20
"""The maximum number of lines of each kind in the text output. The JSON output has all lines."""


@click.group(cls=Listing)
def archive_command() -> None:
    """Manage the archive and legal holds: list, preview, archive or restore. Without a subcommand, list the archive."""


@archive_command.command("list")
@in_tenant
@json_option
def list_(parts: Parts, as_json: bool) -> None:
    """List the archived conversations, latest first."""
    found = Memory(parts).archived()
    print_listing(
        found, as_json=as_json, none="no conversation is archived",
        columns=["session", "scope", "episodes", "began", "ended", "archived", ""], right=["episodes"],
        row=lambda one: [
            cell(one.session), cell(owner_text(one.scope)), str(one.episodes), day(one.first_at), day(one.last_at),
            utc(one.archived), "expired" if one.tombstoned and one.tombstoned >= one.last_at else "",
        ],
    )  # fmt: skip


@archive_command.command
@click.option("--days", type=click.FloatRange(0), default=30, show_default=True, help="Days to look ahead.")
@in_tenant
@json_option
def simulate(days: float, parts: Parts, as_json: bool) -> None:
    """Preview what the coming nights would archive, expire or delete.

    The preview assumes that nothing is said or recalled in the meantime.
    """
    found = Memory(parts).archive_preview(days)
    names = {scope.id: owner_text(scope) for scope in parts.records.scopes(parts.settings.tenant)}
    if as_json:
        return print_json(found)
    click.echo(f"up to {utc(found.until)}, if nothing is said, recalled or held until then:")
    _say("conversation", "archived", found.archived, names)
    _say("conversation", "expired", found.expired, names)
    _say("fact", "forgotten, having faded", found.faded, names)
    _say("fact", "dropped, by retention", found.dropped, names)
    _say("entity", "tombstoned", found.tombstoned, names)


@archive_command.command
@click.argument("session")
@scope_options(user_required=True, writes=True)
def put(session: str, options: ScopeOptions) -> None:
    """Archive the conversation SESSION now."""
    with opened(options.tenant) as parts:
        done = options.of(parts).archive(session)
    click.echo(f"{session} is archived" if done else f"{session} was archived already")


@archive_command.command
@click.argument("session")
@scope_options(user_required=True, writes=True)
def restore(session: str, options: ScopeOptions) -> None:
    """Restore the conversation SESSION. Recall then finds it again."""
    with opened(options.tenant) as parts:
        done = options.of(parts).restore(session)
    click.echo(f"{session} is restored" if done else f"{session} was not archived")


@archive_command.command
@click.option("--reason", required=True, help="Who asked for the hold, and why; the audit log records it.")
@scope_options(user_required=False)
def hold(reason: str, options: ScopeOptions) -> None:
    """Place a legal hold on one scope, or on the whole tenant.

    With --user, the hold covers one scope: the agent is `default` and the channel is _global, unless you name others.
    Without --user, the hold covers the whole tenant.
    """
    if options.user is None and (options.agent or options.channel):
        raise Incorrect(
            "--agent and --channel need --user",
            hint="name the user, or leave out --agent and --channel to hold the whole tenant",
        )
    with opened(options.tenant) as parts:
        memory, own = Memory(parts), parts.settings.tenant
        scope = options.of(parts) if options.user else None
        number = memory.hold(scope, reason)
    click.echo(f"hold {number} is in force on {owner_text(scope.scope) if scope else f'all of {own}'}")


@archive_command.command
@click.argument("number", type=int)
@in_tenant
def release(number: int, parts: Parts) -> None:
    """Release hold NUMBER, as shown by `slowwave archive holds`."""
    done = Memory(parts).release(number)
    click.echo(f"hold {number} is released" if done else f"hold {number} was released already")


@archive_command.command
@in_tenant
@json_option
def holds(parts: Parts, as_json: bool) -> None:
    """List legal holds; the holds in force come first."""
    found, own = Memory(parts).holds(), parts.settings.tenant
    print_listing(
        found, as_json=as_json, none="there are no legal holds",
        columns=["hold", "on", "reason", "since", "until"], right=["hold"],
        row=lambda one: [
            str(one.hold), cell(owner_text(one.scope) if one.scope else f"all of {own}"), cell(one.reason),
            utc(one.placed), utc(one.released),
        ],
    )  # fmt: skip


def _order(entry: tuple[str, str]) -> tuple[str, list[tuple[int, str]]]:
    name, what = entry
    return name, natural(what)


def _say(kind: str, fate: str, leaving: Sequence[Leaving], names: Mapping[uuid.UUID, str]) -> None:
    plural = {"entity": "entities"}.get(kind, f"{kind}s")
    click.echo(f"{counted(len(leaving), plural)} {fate}" + (":" if leaving else ""))
    entries = sorted(((names.get(one.scope, short(one.scope)), one.name) for one in leaving), key=_order)
    for name, what in entries[:SHOWN]:
        console().print(cell(f"    {what}  ({name})"))
    if len(leaving) > SHOWN:
        click.echo(f"    and {len(leaving) - SHOWN} more")
