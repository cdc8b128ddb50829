"""`slowwave why`: the life of a fact, down to the words."""

import click

from slowwave.cli.options import json_option, opened, tenant_option
from slowwave.cli.printing import one_line, print_json, said, utc
from slowwave.memory import Memory


@click.command
@click.argument("fact")
@tenant_option
@json_option
def command(fact: str, tenant: str | None, as_json: bool) -> None:
    """Say why FACT is or was believed: its id, or the beginning of it, as `slowwave facts` shows it."""
    with opened(tenant) as parts:
        id_ = parts.records.fact(parts.settings.tenant, fact)
        explanation = Memory(parts).why(id_)
    if as_json:
        return print_json(explanation)
    state = "believed" if explanation.held else "no longer believed"
    state = f"statement, {state}" if explanation.form == "statement" else state
    click.echo(f"{click.style(one_line(explanation.text), bold=True)}  ({state}; {explanation.fact})")
    for step in explanation.steps:
        by = f"by {step.rule}" + (f" in run {step.run}" if step.run is not None else " by hand")
        click.echo(f"{utc(step.recorded)}  {step.kind} {by}, confidence {step.confidence:.2f}: {one_line(step.reason)}")
        for origin in step.origins:
            if origin.relation == "promoted_from":
                click.echo(f"    promoted from {origin.memory}")
        for evidence in step.evidence:
            click.echo(f"    {said(evidence)}")
        for before in step.replaces:
            if before.fact != explanation.fact:
                click.echo(f"    in the place of: {one_line(before.text)}  ({before.fact})")
                click.echo(f"        believed since {utc(before.recorded)} by {before.rule}")
            elif step.kind == "update":
                click.echo(f"    from then on: {one_line(step.text)}  ({step.delta})")
