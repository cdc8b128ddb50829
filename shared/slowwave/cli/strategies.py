"""`slowwave strategies`: strategies of agents, and how often they succeed."""

from dataclasses import replace

import click

from slowwave.cli.options import ScopeOptions, json_option, opened, scope_options
from slowwave.cli.printing import cell, console, day, heading, print_json, short, table
from slowwave.domain.pattern import Strategy
from slowwave.domain.scope import Scope
from slowwave.memory.patterns import Strategies


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
        known = [one for scope in options.scopes(parts) for one in _of(scope.strategies, task)]
    if as_json:
        return print_json([{"scope": one.scope, "strategy": replace(one, embedding=None)} for one in known])
    if not known:
        return click.echo(
            "no strategies here yet: they are learned from episodes of kind tool_call and outcome,\n"
            "`slowwave schedule run-now detect_patterns` learns them now"
        )
    _show(known)


def _of(strategies: Strategies, task: str | None) -> list[Strategy]:
    return strategies.all() if task is None else strategies.find_strategies(task)


def _show(known: list[Strategy]) -> None:
    made = table(
        "task", "by", "worked", "failed", "at least", "standing", "last", "id", right=["worked", "failed", "at least"]
    )
    before: Scope | None = None
    for one in known:
        if one.scope != before:
            made.add_section()
            made.add_row(heading(one.scope))
            before = one.scope
        made.add_row(
            cell(f"  {one.task or 'any'}"), cell(" → ".join(one.tool_sequence)), str(one.success_count),
            str(one.failure_count), f"{one.bound:.0%}", one.standing, day(one.last_used), short(one.id),
        )  # fmt: skip
    console().print(made)
