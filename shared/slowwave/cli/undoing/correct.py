"""`slowwave correct`: withdraws a wrong fact and everything derived from it, and adds the right fact."""

import getpass

import click

from slowwave.cli.options import json_option, opened, tenant_option
from slowwave.cli.printing import print_json
from slowwave.cli.undoing.shown import show
from slowwave.memory import Memory


@click.command
@click.argument("fact")
@click.argument("object", default="", metavar="[RIGHT]")
@click.option("--by", default=getpass.getuser, show_default="your login name", help="The person who corrects it.")
@click.option("--reason", default="", metavar="TEXT", help="The reason, which `slowwave why` shows.")
@click.option("--preview", is_flag=True, help="Show what would change, and write nothing.")
@tenant_option
@json_option
def command(
    fact: str, object: str, by: str, reason: str, preview: bool, tenant: str | None, as_json: bool
) -> None:  # fmt: skip
    """Undo the wrong FACT and everything derived from it; with RIGHT, add the same fact with RIGHT as its object.

    FACT is an id from `slowwave facts`, or the beginning of the id. The facts that FACT had replaced are believed
    again. For a statement, RIGHT is the whole right sentence.
    """
    with opened(tenant) as parts:
        memory = Memory(parts)
        id_ = parts.records.fact(parts.settings.tenant, fact)
        whose = memory.why(id_).scope
        assert whose
        scope = memory.scope(whose.user, agent=whose.agent, channel=whose.channel)
        done = scope.correct(id_, object or None, by=by, reason=reason, preview=preview)
    print_json(done) if as_json else show(done)
