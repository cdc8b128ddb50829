"""`slowwave sweep`: moves memories between tiers and evicts memories, now."""

import click

from slowwave import wiring
from slowwave.cli.options import json_option, opened
from slowwave.cli.printing import in_words, print_json
from slowwave.domain.job_table import SWEEP
from slowwave.memory import due_work


@click.command
@json_option
def command(as_json: bool) -> None:
    """Move due memories to another tier, and evict memories from each tier that is above its capacity."""
    with opened() as parts:
        counts = due_work.run_standing(parts, SWEEP, by=wiring.owner_name("sweep"))
    if as_json:
        return print_json(dict(counts))
    click.echo(in_words(counts) or "nothing is due")
