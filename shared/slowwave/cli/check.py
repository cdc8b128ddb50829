"""`slowwave check`: verifies every invariant, and says how to repair what is broken."""

import sys
from itertools import groupby

import click

from slowwave import wiring
from slowwave.cli.dead_letters import of_the_installation
from slowwave.cli.options import json_option, opened
from slowwave.cli.printing import print_json
from slowwave.domain.finding import Finding
from slowwave.formatting import counted
from slowwave.jobs.maintenance import FOLDS

MOST_LINES = 20
"""The most findings of one invariant that are printed."""


@click.command
@click.option(
    "--all", "--rebuild", "everything", is_flag=True,
    help=f"Replay and check all ledgers and all seals (nightly hashes), not just {FOLDS} per tenant.",
)  # fmt: skip
@json_option
def command(everything: bool, as_json: bool) -> None:
    """Check every invariant: facts have sources, ledgers replay to the stored facts, nothing is lost or left over.

    The command changes nothing, and exits with status 1 when something is wrong. Each line describes one problem and
    its remedy. A scheduled job runs the same check daily and logs the problems.
    """
    with opened() as parts:
        found = list(wiring.checks(parts.database).findings(folds=None if everything else FOLDS))
        letters = "" if as_json else of_the_installation(parts)
    if as_json:
        print_json(found)
    else:
        _show(found)
        if letters:
            click.echo(f"dead letters: {letters}")
    if found:
        sys.exit(1)


def _show(found: list[Finding]) -> None:
    for (invariant, tenant), group in groupby(found, key=lambda one: (one.invariant, one.tenant)):
        lines = list(group)
        for finding in lines[:MOST_LINES]:
            click.echo(f"BAD  {finding} → {finding.remedy}")
        if len(lines) > MOST_LINES:
            click.echo(f"     and {len(lines) - MOST_LINES} more like this ({invariant}, tenant {tenant})")
    count = counted(len(found), "findings")
    click.echo(f"\n{count}" if found else "every invariant holds")
