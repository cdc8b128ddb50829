"""`slowwave decay`: recomputes decayed strengths and withdraws faded facts, now."""

import click

from slowwave import wiring
from slowwave.cli.options import json_option, opened, tenant_option
from slowwave.cli.printing import in_words, print_json
from slowwave.domain.job_table import DECAY
from slowwave.memory import due_work


@click.command
@click.option("--all", "everything", is_flag=True, help="First recompute every strength, not only those that are due.")
@tenant_option
@json_option
def command(everything: bool, tenant: str | None, as_json: bool) -> None:
    """Recompute the strengths that are due, and withdraw facts that have faded too far.

    Use --all after a change of the decay policy: --all also recomputes the time at which each memory is due.
    """
    with opened(tenant) as parts:
        all_of_them = due_work.refresh_strengths(parts, tenant) if everything else {}
        counts = due_work.run_standing(parts, DECAY, by=wiring.owner_name("decay"))
    if as_json:
        return print_json({"all": dict(all_of_them), "due": dict(counts)})
    if everything:
        click.echo(f"all   {in_words(all_of_them) or 'nothing'}")
    click.echo(f"due   {in_words(counts) or 'nothing'}")
