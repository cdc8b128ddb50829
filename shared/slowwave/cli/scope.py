"""`slowwave scope`: the owner of a scope id."""

import click

from slowwave.cli.options import json_option, opened, tenant_option
from slowwave.cli.printing import cell, console, print_json, table
from slowwave.errors import NotFound


@click.command
@click.argument("beginning", default="", metavar="[ID]")
@tenant_option
@json_option
def command(beginning: str, tenant: str | None, as_json: bool) -> None:
    """Show the owner of the scope ID, as Flower or a log shows it; without ID, list all scopes. The beginning of an id
    is enough."""
    with opened(tenant) as parts:
        scopes = parts.records.scopes(parts.settings.tenant)
        found = [scope for scope in scopes if str(scope.id).startswith(beginning.lower())]
        if beginning and not found:
            raise NotFound(
                f"there is no scope {beginning} in tenant {parts.settings.tenant}",
                hint="`slowwave scope` lists them; the id of a slice is shown by `slowwave runs --scope ID`",
            )
    if as_json:
        return print_json([{"id": scope.id, "scope": scope} for scope in found])
    if not found:
        return click.echo("there are no scopes: nothing was ever stored")
    made = table("id", "user", "agent", "channel")
    for scope in found:
        made.add_row(str(scope.id), cell(scope.user), cell(scope.agent), cell(scope.channel))
    console().print(made)
