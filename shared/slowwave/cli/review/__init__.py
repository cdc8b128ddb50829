"""`slowwave review`: claims that wait for a person's decision."""

import getpass

import click

from slowwave.cli.options import Listing, json_option, opened, tenant_option
from slowwave.cli.printing import one_line, print_json, short, utc
from slowwave.domain.dead_letter import Verdict
from slowwave.memory import Memory


@click.group(cls=Listing)
def command() -> None:
    """Accept, reject or edit claims that need a person's decision. Without a subcommand, list these claims."""


@command.command("list")
@tenant_option
@json_option
def list_(tenant: str | None, as_json: bool) -> None:
    """List the claims that wait for a decision, oldest first."""
    with opened(tenant) as parts:
        found = Memory(parts).review()
    if as_json:
        return print_json(found)
    if not found:
        return click.echo("no claim waits for a decision")
    for one in found:
        whose = f"{one.scope.user}/{one.scope.agent}/{one.scope.channel}"
        click.echo(f"review {one.number}, since {utc(one.created)}, of {one_line(whose)}: {one_line(one.claims)}")
        click.echo(f"  why: {one_line(one.reason)}\n  said: {one_line(one.said)}")
        for fact, text in zip(one.among, one.beliefs, strict=True):
            click.echo(f"  in place of: {one_line(text)} ({short(fact)})")


_by = click.option("--by", default=getpass.getuser, show_default="your login name", help="The person who decides.")
_replaces = click.option(
    "--replaces",
    metavar="FACT",
    help="The fact to replace, if several could be replaced: its id, or the beginning of the id.",
)


@command.command
@click.argument("number", type=int)
@_by
@_replaces
@tenant_option
def accept(number: int, by: str, replaces: str | None, tenant: str | None) -> None:
    """Accept the claim of review NUMBER as a fact."""
    _decide(number, "accept", by, tenant, replaces=replaces)


@command.command
@click.argument("number", type=int)
@_by
@tenant_option
def reject(number: int, by: str, tenant: str | None) -> None:
    """Reject the claim of review NUMBER, and keep the current facts."""
    _decide(number, "reject", by, tenant)


@command.command
@click.argument("number", type=int)
@click.argument("object")
@_by
@_replaces
@tenant_option
def edit(number: int, object: str, by: str, replaces: str | None, tenant: str | None) -> None:
    """Accept the claim of review NUMBER, with OBJECT in place of the claim's object."""
    _decide(number, "edit", by, tenant, object=object, replaces=replaces)


def _decide(
    number: int, verdict: Verdict, by: str, tenant: str | None, *, object: str | None = None,
    replaces: str | None = None,
) -> None:  # fmt: skip
    with opened(tenant) as parts:
        delta = Memory(parts).decide(number, verdict, by=by, object=object, replaces=replaces)
    click.echo(f"{number} is decided: delta {delta}")
