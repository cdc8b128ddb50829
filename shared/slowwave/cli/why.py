"""`slowwave why`: the history of a fact, with the original words."""

import click

from slowwave.cli.options import json_option, opened, tenant_option
from slowwave.cli.printing import one_line, print_json, quoted_episode, utc
from slowwave.domain.episode import StoredEpisode
from slowwave.errors import NotFound
from slowwave.formatting import language
from slowwave.memory import Memory


@click.command
@click.argument("fact")
@tenant_option
@json_option
def command(fact: str, tenant: str | None, as_json: bool) -> None:
    """Explain why FACT is or was believed. FACT is an id from `slowwave facts`, or the beginning of the id.

    FACT may also be the id of an episode. Then the command prints whether an active rule pack reads the language of the
    episode.
    """
    with opened(tenant) as parts:
        try:
            explanation = Memory(parts).why(parts.records.fact(parts.settings.tenant, fact))
        except NotFound:
            episode = parts.records.episode(parts.settings.tenant, fact)
            if episode is None:
                raise
            return _tell_episode(episode, parts.unread.language(episode.content), as_json)
    if as_json:
        return print_json(explanation)
    state = "believed" if explanation.held else "no longer believed"
    state = f"so until {utc(explanation.until)}" if explanation.until else state
    state = f"statement, {state}" if explanation.form == "statement" else state
    click.echo(f"{click.style(one_line(explanation.text), bold=True)}  ({state}; {explanation.fact})")
    for step in explanation.steps:
        by = f"by {step.rule}" + (f" in run {step.run}" if step.run is not None else " by hand")
        click.echo(f"{utc(step.recorded)}  {step.kind} {by}, confidence {step.confidence:.2f}: {one_line(step.reason)}")
        for origin in step.origins:
            if origin.relation == "promoted_from":
                click.echo(f"    promoted from {origin.memory}")
        for evidence in step.evidence:
            click.echo(f"    {quoted_episode(evidence)}")
        for before in step.replaces:
            if before.fact != explanation.fact:
                click.echo(f"    replaces: {one_line(before.text)}  ({before.fact})")
                click.echo(f"        believed since {utc(before.recorded)} by {before.rule}")
            elif step.kind == "update":
                click.echo(f"    new text: {one_line(step.text)}  ({step.delta})")


def _tell_episode(episode: StoredEpisode, unread: str | None, as_json: bool) -> None:
    """Print whether any pack reads the language of an episode."""
    if as_json:
        return print_json({"episode": episode.id, "content": episode.content, "unread_language": unread})
    click.echo(f"{click.style(one_line(episode.content), bold=True)}  (episode; {episode.id})")
    click.echo(
        f"    {language(unread)}, which no active pack reads: no facts are learned from it, but recall finds it"
        if unread
        else "    an episode is not a fact: `slowwave facts` lists the facts, `slowwave why` their sources"
    )
