"""`slowwave keys`: the keys that give access over HTTP."""

import uuid

import click

from slowwave.cli.options import Listing, json_option, opened, tenant_option
from slowwave.cli.printing import cell, console, print_json, table, utc
from slowwave.domain.access import EVERY, VERBS
from slowwave.memory.operations import Access


@click.group(cls=Listing)
def command() -> None:
    """Create, list or revoke keys of the HTTP API. Without a subcommand, list them."""


@command.command
@click.argument("name")
@click.option(
    "--verb", "verbs", multiple=True, default=[EVERY], show_default=True, metavar="VERB",
    help=f"What the key allows: {', '.join(VERBS)}, or {EVERY} for all. Repeat --verb for several.",
)  # fmt: skip
@tenant_option
@json_option
def create(name: str, verbs: tuple[str, ...], tenant: str | None, as_json: bool) -> None:
    """Create a key called NAME for one tenant, and print the key once: Slowwave stores only its hash."""
    with opened(tenant) as parts:
        key, secret = Access(parts).create(name, list(verbs))
    if as_json:
        return print_json({"key": key.key, "secret": secret, "name": key.name, "verbs": key.verbs})
    click.echo(secret)
    click.echo(
        f"Store this key: it is not shown again. Its id is {key.key}; it allows {', '.join(key.verbs)}.", err=True
    )


@command.command("list")
@tenant_option
@json_option
def list_(tenant: str | None, as_json: bool) -> None:
    """List the keys of a tenant, oldest first, including revoked ones."""
    with opened(tenant) as parts:
        keys = Access(parts).listing()
    if as_json:
        return print_json(keys)
    if not keys:
        return click.echo("there are no keys; `slowwave keys create NAME` makes one")
    made = table("key", "name", "for", "made", "revoked")
    for key in keys:
        made.add_row(str(key.key), cell(key.name), ", ".join(key.verbs), utc(key.created), utc(key.revoked))
    console().print(made)


@command.command
@click.argument("key", type=click.UUID)
@tenant_option
def revoke(key: uuid.UUID, tenant: str | None) -> None:
    """Revoke the key with the id KEY permanently. Servers refuse the key within a second."""
    with opened(tenant) as parts:
        gone = Access(parts).revoke(key)
    click.echo(f"{gone.name} is revoked")
