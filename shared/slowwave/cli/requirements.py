"""`slowwave requirements`: how much of the source documents is carried by tests."""

import click

from slowwave.cli.coverage import read
from slowwave.cli.opening import json_option
from slowwave.cli.printing import print_json


@click.command
@click.option("--missing", is_flag=True, help="List the statements that no test carries, too.")
@json_option
def command(missing: bool, as_json: bool) -> None:
    """Count, per source document, the statements that a test carries: covered of total.

    Tests are read, not run. Statements that ask for no code do not count. Works in a checkout.
    """
    coverage = read()
    if as_json:
        return print_json(
            {
                document: {
                    "name": name,
                    "covered": covered,
                    "total": total,
                    "missing": [one.id for one in coverage.missing(document)],
                }
                for document, name, covered, total in coverage.table()
            }
        )
    for document, name, covered, total in coverage.table():
        click.echo(f"{document}  {covered:>3} of {total:<3}  {name}")
        for one in coverage.missing(document) if missing else ():
            click.echo(f"    {one.id:<7}{'due  ' if one.due else '     '}{one.says}")
    for problem in (*coverage.unknown, *coverage.problems):
        click.echo(f"! {problem}", err=True)
