"""`slowwave strategies`: strategies of agents, and how often they succeed."""

from dataclasses import replace

import click

from slowwave.cli.options import ScopeOptions, json_option, opened, scope_options
from slowwave.cli.printing import add_by_scope, cell, console, day, print_json, short, table
from slowwave.domain.pattern import Strategy


@click.command
@scope_options(user_required=False)
@click.option("--task", metavar="WORDS", help="Only strategies for this task, best first.")
@json_option
def strategies_command(options: ScopeOptions, task: str | None, as_json: bool) -> None:
    """List the strategies that agents tried, with the number of successes and the confidence of each strategy.

    With --agent, the list covers the named channel of the agent and the agent's channel _global. Without --agent, it
    covers all agents.
    """
    with opened(options.tenant) as parts:
        found = [scope.strategies for scope in options.scopes(parts)]
        known = [one for own in found for one in (own.find_strategies(task) if task is not None else own.all())]
    if as_json:
        return print_json([{"scope": one.scope, "strategy": replace(one, embedding=None)} for one in known])
    if not known:
        return click.echo(
            "no strategies here yet: they are learned from episodes of kind tool_call and outcome,\n"
            "`slowwave schedule run-now detect_patterns` learns them now"
        )
    _show(known)


def _show(known: list[Strategy]) -> None:
    made = table(
        "task", "by", "worked", "failed", "at least", "standing", "last", "id", right=["worked", "failed", "at least"]
    )
    add_by_scope(made, ((one.scope, [
        cell(f"  {one.task or 'any'}"), cell(" → ".join(one.tool_sequence)), str(one.success_count),
        str(one.failure_count), f"{one.bound:.0%}", one.standing, day(one.last_used), short(one.id),
    ]) for one in known))  # fmt: skip
    console().print(made)
