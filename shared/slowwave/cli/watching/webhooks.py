"""`slowwave webhooks`: have what is learned sent to an address."""

import uuid

import click

from slowwave.cli.options import Listing, json_option, opened, tenant_option
from slowwave.cli.printing import cell, console, print_json, table, utc
from slowwave.domain.delta import Kind
from slowwave.domain.hearing.webhook import Webhook
from slowwave.errors import Unavailable
from slowwave.memory.hearing.webhooks import KINDS, Webhooks


@click.group(cls=Listing)
def command() -> None:
    """Webhooks: have each delta sent to an address, signed; list, try, enable or remove one. Alone it lists."""


@command.command
@click.argument("url")
@click.option(
    "--kind", "kinds", multiple=True, default=KINDS, show_default=True,
    type=click.Choice(["add", "update", "delete", "noop"]), help="Name several by several --kind.",
)  # fmt: skip
@click.option("--user", metavar="NAME", help="Of this user alone.")
@click.option("--agent", metavar="NAME", help="Of this agent of the user's alone.")
@click.option("--channel", metavar="NAME", help="Of this channel of the agent's alone.")
@tenant_option
@json_option
def create(
    url: str, kinds: tuple[Kind, ...], user: str | None, agent: str | None, channel: str | None, tenant: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Have what is learned from now on sent to URL, and print the secret it is signed with: this once."""
    with opened(tenant) as parts:
        made, secret = Webhooks(parts).create(url, kinds=list(kinds), user=user, agent=agent, channel=channel)
    if as_json:
        return print_json({"webhook": made.webhook, "secret": secret, "url": made.url, "kinds": made.kinds})
    click.echo(secret)
    click.echo(f"Keep it: it is shown this once. {made.webhook} is its id, for {', '.join(made.kinds)}.", err=True)


@command.command("list")
@tenant_option
@json_option
def list_(tenant: str | None, as_json: bool) -> None:
    """List the webhooks of a tenant, oldest first."""
    with opened(tenant) as parts:
        found = Webhooks(parts).listing()
    if as_json:
        return print_json(found)
    if not found:
        return click.echo("there are no webhooks; `slowwave webhooks create URL` makes one")
    made = table("webhook", "url", "told of", "delivered", "state")
    for one in found:
        whose = "/".join(name for name in (one.user, one.agent, one.channel) if name) or "everybody"
        told = f"{', '.join(one.kinds)} of {whose}"
        made.add_row(str(one.webhook), cell(one.url), cell(told), str(one.delivered), cell(_state(one)))
    console().print(made)


@command.command
@click.argument("webhook", type=click.UUID)
@tenant_option
def test(webhook: uuid.UUID, tenant: str | None) -> None:
    """Send WEBHOOK a signed `webhook.test` now, and say what its receiver answers."""
    with opened(tenant) as parts:
        answer = Webhooks(parts).test(webhook)
    if not answer.taken:
        raise Unavailable(answer.said, hint="a receiver answers with a status of 200 to 299")
    click.echo(answer.said)


@command.command
@click.argument("webhook", type=click.UUID)
@tenant_option
def enable(webhook: uuid.UUID, tenant: str | None) -> None:
    """Have WEBHOOK told again, at once and from where it was left, after it failed."""
    with opened(tenant) as parts:
        there = Webhooks(parts).enable(webhook)
    click.echo(f"{there.url} is told again")


@command.command
@click.argument("webhook", type=click.UUID)
@tenant_option
def remove(webhook: uuid.UUID, tenant: str | None) -> None:
    """Remove WEBHOOK, and its secret, for good."""
    with opened(tenant) as parts:
        gone = Webhooks(parts).remove(webhook)
    click.echo(f"{gone.url} is told nothing any more")


def _state(one: Webhook) -> str:
    if one.disabled is not None:
        return f"disabled {utc(one.disabled)}: {one.trouble}"
    return "well" if one.trouble is None else f"failing since {utc(one.failing)}: {one.trouble}; next {utc(one.due)}"
