"""`slowwave canary`: compares, promotes or rolls back a version of a pack that reads in a share of the scopes."""

from collections.abc import Sequence
from dataclasses import asdict

import click

from slowwave.cli.options import in_tenant, json_option, opened
from slowwave.cli.options.choices import Listing, by_option, examples_option, reason_option
from slowwave.cli.printing import cell, one_line, print_json, print_listing, utc
from slowwave.cli.undoing import belief_text, print_changes, show
from slowwave.domain.canary import CanaryStatus, DecidedCanary, StoredCanary
from slowwave.formatting import counted
from slowwave.memory.undoing.canaries import Canaries
from slowwave.wiring import Parts

_by = by_option("The person who decides.")
_yes = click.option("--yes", is_flag=True, help="Do not ask.")


@click.group(cls=Listing)
def canary_command() -> None:
    """Compare, promote or roll back a new version of a pack that reads in a share of the scopes.

    Without a subcommand, list the canaries.
    """


@canary_command.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List the present and past canaries of all packs.

    A canary is undecided if canaries.yaml does not declare it any more, and it was neither promoted nor rolled back.
    What it has learned stays until it is rolled back.
    """
    with opened() as parts:
        found = Canaries(parts).listing()
    print_listing(
        found, as_json=as_json, none="there are no canaries; policies/canaries.yaml declares them",
        columns=["canary", "share", "state", "by", "decided"],
        row=lambda one: [
            f"{one.pack}@{one.version}", f"{one.share:.4g}", one.state, cell(one.by or ""), utc(one.decided),
        ],
    )  # fmt: skip


@canary_command.command("status")
@click.argument("pack")
@examples_option
@in_tenant
@json_option
def status_command(pack: str, examples: int, parts: Parts, as_json: bool) -> None:
    """Compare the canary of PACK with the installed version.

    Show in how many scopes the canary reads, and which facts the installed version would make there. To see an earlier
    canary, add its version: PACK@VERSION.
    """
    found = Canaries(parts).status(pack)
    if as_json:
        return print_json(asdict(found))
    _show_status(found, examples)


@canary_command.command("promote")
@click.argument("pack")
@click.option("--replay", is_flag=True, help="Also replay the new version in all scopes of all tenants.")
@_by
@reason_option
@examples_option
@json_option
def promote_command(pack: str, replay: bool, by: str, reason: str, examples: int, as_json: bool) -> None:
    """Let the canary of PACK read in all scopes.

    This takes effect at once, for all tenants and on every host. No file changes. Afterwards, put the canary's folder
    in the place of the installed pack, and remove the canary from canaries.yaml, in one deployment. A repeat changes
    nothing, and finishes an interrupted replay.
    """
    with opened() as parts:
        done = Canaries(parts).promote(pack, replay=replay, by=by, reason=reason)
    if as_json:
        return print_json(asdict(done))
    _show_decided(done, examples)
    click.echo(
        f"next: put the folder of {done.canary.pack}@{done.canary.version} in the place of the installed pack, and "
        "remove the canary from canaries.yaml, in one deployment"
    )


@canary_command.command("roll-back")
@click.argument("pack")
@_by
@reason_option
@examples_option
@_yes
@json_option
def roll_back_command(pack: str, by: str, reason: str, examples: int, yes: bool, as_json: bool) -> None:
    """End the canary of PACK and replace its facts.

    The installed version reads again what the canary has read, and replays by the canary are taken back. To end an
    earlier canary, add its version: PACK@VERSION.

    Afterwards, the facts of all tenants are as if the canary had never run. A repeat changes nothing, and finishes an
    interrupted roll-back.
    """
    if not (yes or as_json):
        click.confirm(f"End the canary of {pack}, and replace what it has learned, in all tenants?", abort=True)
    with opened() as parts:
        done = Canaries(parts).roll_back(pack, by=by, reason=reason)
    if as_json:
        return print_json(asdict(done))
    _show_decided(done, examples)
    if done.canary.declared:
        click.echo(f"next: remove the canary of {done.canary.pack} from canaries.yaml")
    _show_undecided(done.undecided)


def _show_status(found: CanaryStatus, examples: int) -> None:
    canary = found.canary
    share = "all scopes" if canary.verdict == "promoted" else f"{canary.share:.4g} of the scopes"
    click.echo(f"{canary.pack}@{canary.version} beside the installed {canary.pack}@{found.installed}: {canary.state}")
    if canary.verdict:
        why = f": {one_line(canary.reason)}" if canary.reason else ""
        click.echo(f"{canary.verdict} by {one_line(canary.by or '')}{why}")
    click.echo(f"share: {share}, here {counted(found.shared, 'scopes')}")
    click.echo(f"has read {counted(found.read, 'scopes')} in {counted(found.runs, 'runs')}")
    if found.replayed:
        click.echo(f"has replayed {counted(found.replayed, 'scopes')}")
    seen = found.difference
    print_changes({
        "gained by the canary": [belief_text(belief) for belief in seen.withdrawn],
        "lost by the canary": [belief_text(belief) for belief in seen.restored],
        "changed by the canary": [belief_text(change.before) for change in seen.changed],
    }, examples)  # fmt: skip
    for one in seen.skipped:
        click.echo(f"not compared: {one_line(one.scope.key)}: {one_line(one.problem)}\n  hint: {one_line(one.hint)}")
    click.echo("nothing was written")
    _show_undecided(found.undecided)


def _show_decided(done: DecidedCanary, examples: int) -> None:
    click.echo(f"{done.canary.pack}@{done.canary.version} is {done.verdict}")
    for tenant, replay in done.replays.items():
        if replay.id or replay.skipped:
            click.echo(f"tenant {one_line(tenant)}:")
            show(replay, replay=True, examples=examples)


def _show_undecided(canaries: Sequence[StoredCanary]) -> None:
    for one in canaries:
        named = f"{one.pack}@{one.version}"
        click.echo(f"{named} is undecided, and what it has learned stays: `slowwave canary roll-back {named}` ends it")
