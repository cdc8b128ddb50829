"""`slowwave keys`: who may call over HTTP."""

import uuid

import click

from slowwave.cli.options import Listing, json_option, opened, tenant_option
from slowwave.cli.printing import cell, console, print_json, table, utc
from slowwave.domain.access import EVERY, VERBS
from slowwave.memory.operating.access import Access


@click.group(cls=Listing)
def command() -> None:
    """Keys of the HTTP API: make one, list them, revoke one. Alone it lists."""


@command.command
@click.argument("name")
@click.option(
    "--verb", "verbs", multiple=True, default=[EVERY], show_default=True, metavar="VERB",
    help=f"What it is for: {', '.join(VERBS)}, or {EVERY} for all. Name several by several --verb.",
)  # fmt: skip
@tenant_option
@json_option
def create(name: str, verbs: tuple[str, ...], tenant: str | None, as_json: bool) -> None:
    """Make a key called NAME, of one tenant, and print it: this once, for only a hash of it is kept."""
    with opened(tenant) as parts:
        key, secret = Access(parts).create(name, list(verbs))
    if as_json:
        return print_json({"key": key.key, "secret": secret, "name": key.name, "verbs": key.verbs})
    click.echo(secret)
    click.echo(f"Keep it: it is shown this once. {key.key} is its id, for {', '.join(key.verbs)}.", err=True)


@command.command("list")
@tenant_option
@json_option
def list_(tenant: str | None, as_json: bool) -> None:
    """List the keys of a tenant, oldest first, those revoked among them."""
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
    """Revoke KEY, by its id, for good. What serves hears it within a second."""
    with opened(tenant) as parts:
        gone = Access(parts).revoke(key)
    click.echo(f"{gone.name} opens nothing any more")
