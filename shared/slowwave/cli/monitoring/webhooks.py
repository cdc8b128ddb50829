"""`slowwave webhooks`: addresses that receive each delta."""

import uuid

import click

from slowwave.cli.options import Listing, json_option, opened, tenant_option
from slowwave.cli.printing import cell, console, print_json, table, utc
from slowwave.domain.delta import Kind
from slowwave.domain.webhook import Webhook
from slowwave.errors import Unavailable
from slowwave.memory.subscriptions import KINDS, Webhooks


@click.group(cls=Listing)
def command() -> None:
    """Create, list, test, enable or remove webhooks, which receive deltas. Without a subcommand, list them."""


@command.command
@click.argument("url")
@click.option(
    "--kind", "kinds", multiple=True, default=KINDS, show_default=True,
    type=click.Choice(["add", "update", "delete", "noop"]), help="Only this kind of delta; may be repeated.",
)  # fmt: skip
@click.option("--user", metavar="NAME", help="Only deltas of this user.")
@click.option("--agent", metavar="NAME", help="Only deltas of this agent of the user.")
@click.option("--channel", metavar="NAME", help="Only deltas of this channel of the agent.")
@tenant_option
@json_option
def create(
    url: str, kinds: tuple[Kind, ...], user: str | None, agent: str | None, channel: str | None, tenant: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Send each new delta to URL, and print the signing secret once."""
    with opened(tenant) as parts:
        made, secret = Webhooks(parts).create(url, kinds=list(kinds), user=user, agent=agent, channel=channel)
    if as_json:
        return print_json({"webhook": made.webhook, "secret": secret, "url": made.url, "kinds": made.kinds})
    click.echo(secret)
    click.echo(
        f"Store this secret: it is not shown again. Webhook {made.webhook} receives {', '.join(made.kinds)}.",
        err=True,
    )


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
    """Send WEBHOOK a signed `webhook.test` now, and show its response."""
    with opened(tenant) as parts:
        answer = Webhooks(parts).test(webhook)
    if not answer.taken:
        raise Unavailable(answer.said, hint="a receiver must answer with a status of 200 to 299")
    click.echo(answer.said)


@command.command
@click.argument("webhook", type=click.UUID)
@tenant_option
def enable(webhook: uuid.UUID, tenant: str | None) -> None:
    """Resume deliveries to a failed WEBHOOK now, at the delta where they stopped."""
    with opened(tenant) as parts:
        there = Webhooks(parts).enable(webhook)
    click.echo(f"deliveries to {there.url} resume")


@command.command
@click.argument("webhook", type=click.UUID)
@tenant_option
def remove(webhook: uuid.UUID, tenant: str | None) -> None:
    """Remove WEBHOOK and its secret permanently."""
    with opened(tenant) as parts:
        gone = Webhooks(parts).remove(webhook)
    click.echo(f"the webhook to {gone.url} is removed")


def _state(one: Webhook) -> str:
    if one.disabled is not None:
        return f"disabled {utc(one.disabled)}: {one.trouble}"
    return "well" if one.trouble is None else f"failing since {utc(one.failing)}: {one.trouble}; next {utc(one.due)}"
