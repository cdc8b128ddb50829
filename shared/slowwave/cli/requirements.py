"""`slowwave requirements`: how many requirements of the source documents are covered by passing tests."""

from dataclasses import asdict

import click

from slowwave.cli.coverage import Coverage, read
from slowwave.cli.options import json_option
from slowwave.cli.printing import print_json


@click.command
@click.option("--later", is_flag=True, help="Also list the requirements planned for later work.")
@json_option
@click.pass_context
def requirements_command(context: click.Context, later: bool, as_json: bool) -> None:
    """Count the covered requirements, the due requirements, and all requirements of each source document.


    A requirement is due if tests must cover it now; the others are planned for later. A requirement
    is covered if all its tests passed in the last run of `make test`. The command works only in a checkout. It exits
    with status 1 when a test failed, when tests and the list of requirements disagree, or when `make test` was never
    run.
    """
    coverage = read()
    if as_json:
        print_json(_plain(coverage))
    else:
        _print(coverage, later)
    for problem in (*coverage.problems, *coverage.failures):
        click.echo(f"! {problem}", err=True)
    if coverage.run is None:
        click.echo("! there is no record of a whole test run: run `make test`", err=True)
    if coverage.problems or coverage.failures or coverage.run is None:
        context.exit(1)


def _print(coverage: Coverage, later: bool) -> None:
    click.echo("    covered   due  total")
    for count in coverage.table():
        click.echo(f"{count.document}  {count.covered:>7}  {count.due:>4}  {count.total:>5}  {count.name}")
        for one in coverage.later(count.document) if later else ():
            click.echo(f"    {one.id:<6} {one.later}: {one.says}")
    every = list(coverage.table())
    covered, due, total = (sum(getattr(count, name) for count in every) for name in ("covered", "due", "total"))
    click.echo(f"all {covered:>7}  {due:>4}  {total:>5}")
    if coverage.run is None:
        return
    if coverage.open:
        click.echo("\nDue but not covered:")
    for one in coverage.open:
        click.echo(f"    {one.id:<6} {one.says}{f' Lacks: {one.lacks}.' if one.lacks else ''}")
    click.echo(f"\nFrom the whole run of the tests on {coverage.run.tree}.")
    if coverage.run.tree != coverage.head:
        click.echo(f"The checkout is now {coverage.head}: run `make test` to count it.")


def _plain(coverage: Coverage) -> dict[str, object]:
    return {
        "documents": [asdict(count) for count in coverage.table()],
        "open": [one.id for one in coverage.open],
        "later": {one.id: one.later for one in coverage.statements.values() if one.later},
        "problems": [*coverage.problems, *coverage.failures],
        "run": coverage.run and asdict(coverage.run.tree),
        "head": asdict(coverage.head),
    }
