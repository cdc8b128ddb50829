"""`slowwave metrics`, `report` and `webhooks`: metrics, reports about nights, and deliveries to other systems."""

import threading
import uuid
import webbrowser
from datetime import datetime
from pathlib import Path

import click

from slowwave.cli.options import in_tenant, json_option, opened, tenant_option
from slowwave.cli.options.choices import Listing
from slowwave.cli.printing import cell, print_json, print_listing, utc
from slowwave.cli.signals import ending
from slowwave.domain.delta import Kind
from slowwave.domain.webhook import Webhook
from slowwave.errors import Unavailable
from slowwave.memory.subscriptions import KINDS, Webhooks
from slowwave.wiring import Parts


@click.command
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Serve the metrics on this port, at /metrics, until stopped."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
def metrics_command(port: int | None, host: str) -> None:
    """Print the metrics of the installation in the format of Prometheus, or serve them.

    The metrics come from Postgres and cover all processes and tenants: serve them from one process.
    """
    from slowwave.memory.metrics import Exposition
    from slowwave.runtime.extras import needed

    with needed():
        from prometheus_client import start_http_server

    with opened() as parts:
        exposition = Exposition(parts)
        if port is None:
            click.echo(exposition.text(), nl=False)
            return
        stop = threading.Event()
        with ending(stop):
            server, thread = start_http_server(port, host, exposition.registry)
            click.echo(f"ready: http://{host}:{port}/metrics; Ctrl-C ends it")
            stop.wait()
            server.shutdown()
            server.server_close()
            thread.join()


@click.command
@click.option(
    "--night",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="The morning on which the night ends (UTC); the latest by default.",
)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The file to write.")
@click.option("--open", "show", is_flag=True, help="Open the report in a browser.")
@tenant_option
def report_command(night: datetime | None, out: Path | None, show: bool, tenant: str | None) -> None:
    """Write an HTML report of a night: received episodes; learned, changed, promoted and withdrawn facts; and the jobs.

    A night runs from noon to noon, UTC. The report quotes episodes. The command writes it under SLOWWAVE_HOME unless
    --out or SLOWWAVE_REPORTS names another place.
    """
    from slowwave.night_report import Pages, write

    with opened(tenant) as parts:
        folder = parts.settings.reports or parts.settings.home / "reports"
        with parts.nights.stable(parts.settings.tenant, night.date() if night else None) as report:
            path = write(report, out) if out else Pages(folder).write(report)
    click.echo(path)
    if show:
        webbrowser.open(path.resolve().as_uri())


@click.group(cls=Listing)
def webhooks_command() -> None:
    """Create, list, test, enable or remove webhooks, which receive deltas. Without a subcommand, list them."""


@webhooks_command.command
@click.argument("url")
@click.option(
    "--kind", "kinds", multiple=True, default=KINDS, show_default=True,
    type=click.Choice(["add", "update", "delete", "noop"]), help="Only this kind of delta; may be repeated.",
)  # fmt: skip
@click.option("--user", metavar="NAME", help="Only deltas of this user.")
@click.option("--agent", metavar="NAME", help="Only deltas of this agent of the user.")
@click.option("--channel", metavar="NAME", help="Only deltas of this channel of the agent.")
@in_tenant
@json_option
def create(
    url: str, kinds: tuple[Kind, ...], user: str | None, agent: str | None, channel: str | None, parts: Parts,
    as_json: bool,
) -> None:  # fmt: skip
    """Send each new delta to URL, and print the signing secret once."""
    made, secret = Webhooks(parts).create(url, kinds=list(kinds), user=user, agent=agent, channel=channel)
    if as_json:
        return print_json({"webhook": made.webhook, "secret": secret, "url": made.url, "kinds": made.kinds})
    click.echo(secret)
    click.echo(
        f"Store this secret: it is not shown again. Webhook {made.webhook} receives {', '.join(made.kinds)}.", err=True
    )


@webhooks_command.command("list")
@in_tenant
@json_option
def list_(parts: Parts, as_json: bool) -> None:
    """List the webhooks of a tenant, oldest first."""
    found = Webhooks(parts).listing()
    print_listing(
        found, as_json=as_json, none="there are no webhooks; `slowwave webhooks create URL` makes one",
        columns=["webhook", "url", "receives", "delivered", "state"],
        row=lambda one: [
            str(one.webhook), cell(one.url), cell(_deliveries(one)), str(one.delivered), cell(_state(one)),
        ],
    )  # fmt: skip


@webhooks_command.command
@click.argument("webhook", type=click.UUID)
@in_tenant
def test(webhook: uuid.UUID, parts: Parts) -> None:
    """Send WEBHOOK a signed `webhook.test` now, and show its response."""
    answer = Webhooks(parts).test(webhook)
    if not answer.accepted:
        raise Unavailable(answer.description, hint="a receiver must answer with a status of 200 to 299")
    click.echo(answer.description)


@webhooks_command.command
@click.argument("webhook", type=click.UUID)
@in_tenant
def enable(webhook: uuid.UUID, parts: Parts) -> None:
    """Resume deliveries to a failed WEBHOOK where they stopped."""
    there = Webhooks(parts).enable(webhook)
    click.echo(f"deliveries to {there.url} resume")


@webhooks_command.command
@click.argument("webhook", type=click.UUID)
@in_tenant
def remove(webhook: uuid.UUID, parts: Parts) -> None:
    """Remove WEBHOOK and its secret permanently."""
    gone = Webhooks(parts).remove(webhook)
    click.echo(f"the webhook to {gone.url} is removed")


def _deliveries(one: Webhook) -> str:
    owner = "/".join(name for name in (one.user, one.agent, one.channel) if name) or "everybody"
    return f"{', '.join(one.kinds)} of {owner}"


def _state(one: Webhook) -> str:
    if one.disabled is not None:
        return f"disabled {utc(one.disabled)}: {one.trouble}"
    return "well" if one.trouble is None else f"failing since {utc(one.failing)}: {one.trouble}; next {utc(one.due)}"
