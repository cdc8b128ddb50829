"""`slowwave quotas`: the limits of a tenant."""

import click

from slowwave.cli.options import Listing, json_option, opened, tenant_option
from slowwave.cli.printing import console, print_json, table
from slowwave.domain.access import PERIODS

_WHAT = click.Choice(list(PERIODS))


@click.group(cls=Listing)
def command() -> None:
    """List, set or remove the quotas of a tenant. Without a subcommand, list them.

    Slowwave refuses a push or recall beyond a quota, and reports the seconds to wait. If an outbox is set, the
    outbox keeps the refused push.
    """


@command.command("list")
@tenant_option
@json_option
def list_(tenant: str | None, as_json: bool) -> None:
    """List the quotas of a tenant, each with the amount that is left."""
    with opened(tenant) as parts:
        quotas = parts.quotas.listing(parts.settings.tenant)
    if as_json:
        return print_json(quotas)
    if not quotas:
        return click.echo("there are no quotas; `slowwave quotas set` makes one")
    made = table("quota", "most", "left")
    for quota in quotas:
        made.add_row(quota.what, f"{quota.most:,}", f"{quota.left:,}")
    console().print(made)


@command.command("set")
@click.argument("what", type=_WHAT)
@click.argument("most", metavar="NUMBER", type=click.IntRange(1))
@tenant_option
def set_(what: str, most: int, tenant: str | None) -> None:
    """Set the limit of a tenant's quota to NUMBER. Every process applies the new limit within five seconds."""
    with opened(tenant) as parts:
        parts.quotas.set(parts.settings.tenant, what, most)
    click.echo(f"at most {most:,} {what}")


@command.command
@click.argument("what", type=_WHAT)
@tenant_option
def remove(what: str, tenant: str | None) -> None:
    """Remove a quota of a tenant."""
    with opened(tenant) as parts:
        parts.quotas.remove(parts.settings.tenant, what)
    click.echo(f"{what}: no limit")
