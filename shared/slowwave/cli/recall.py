"""`slowwave recall`: the memories that answer a question, and with --explain the stages of the search."""

from datetime import datetime
from typing import Any

import click

from slowwave.cli.options import ScopeOptions, json_option, opened, scope_options
from slowwave.cli.options.choices import Instant, limit_option, several_option
from slowwave.cli.printing import console, one_line, own_keys, print_json, share, short, table
from slowwave.domain.episode import Role
from slowwave.domain.recollection import Explained, Recollections, Remembered


def plain(answers: Recollections, explained: Explained) -> dict[str, Any]:
    """Return *answers* and the explanation of their scores as JSON values."""
    parts = {str(id_): made for id_, made in explained.parts.items()}
    return {
        "answers": answers,
        "stages": explained.stages,
        "measures": explained.measures,
        "parts": parts,
        "background": explained.background,
    }


def show_explained(answers: Recollections, explained: Explained) -> None:
    """Print the stages, the measures and the components of each answer's score."""
    stages = table("stage", "ms", "memories", "answers", right=["ms", "memories", "answers"])
    for stage in explained.stages:
        stages.add_row(stage.name, f"{stage.milliseconds:.2f}", _count(stage.memories), _count(stage.answers))
    total = sum(stage.milliseconds for stage in explained.stages)
    stages.add_row("all", f"{total:.2f}", "", str(len(answers)))

    measures = table("measure", "memories", "contribution", right=["memories", "contribution"])
    for measure in explained.measures:
        measures.add_row(measure.name, str(measure.memories), f"{measure.share:.0%}")

    made = table("answer", "measure", "weight", "value", "adds", right=["answer", "weight", "value", "adds"])
    for number, answer in enumerate(answers, 1):
        for part in explained.parts.get(answer.id, ()):
            made.add_row(str(number), part.name, f"{part.weight:.2f}", f"{part.value:.2f}", f"{part.adds:+.3f}")
        match = answer.score if answer.match is None else answer.match
        made.add_row(str(number), f"match, hence score {answer.score:.2f}", "", "", f"{match:.3f}")

    for each in (stages, measures, made):
        click.echo()
        console().print(each)
    if explained.background is not None:
        chance = f"matches of {explained.background:.2f} are chance here"
        click.echo(f"\n{chance}; a score is the rate at which matches this far above chance are answers")


def _count(count: int | None) -> str:
    return "" if count is None else str(count)


@click.command
@click.argument("question")
@scope_options(user_required=True)
@limit_option(10, "answers")
@click.option("--as-of", type=Instant(), help="Ask about this time, like 2026-03-02.")
@click.option("--archived", is_flag=True, help="Include archived conversations.")
@several_option("--kind", "kinds", "Only this kind of memory", Remembered)
@several_option("--role", "roles", "Only episodes of this role", Role)
@several_option("--session", "sessions", "Only memories of this session")
@several_option("--exclude-session", "others", "Exclude this session")
@click.option("--since", type=Instant(), help="Only episodes since this time, and facts that became true since then.")
@click.option("--until", type=Instant(), help="Only episodes before this time, and facts that became true before it.")
@click.option("--min-score", type=click.FloatRange(0, 1), default=0.0, help="Minimum score, from 0 to 1.")
@click.option(
    "--explain", is_flag=True, help="Show the time of each stage, and what each measure adds to an answer's score."
)
@json_option
def recall_command(
    question: str, options: ScopeOptions, limit: int,
    as_of: datetime | None, archived: bool, kinds: tuple[Remembered, ...], roles: tuple[Role, ...],
    sessions: tuple[str, ...], others: tuple[str, ...], since: datetime | None, until: datetime | None,
    min_score: float, explain: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Ask QUESTION; get facts and episodes, best first, each with its reasons and sources.

    With --agent, the search covers the named channel of the agent and the agent's channel _global, which holds what the
    agent knows in every channel. Without --agent, the search covers all agents of the user in every channel, and each
    answer names its agent.
    """
    with opened(options.tenant) as parts:
        parts.tally.timed = False
        scope = options.of(parts)
        answers = scope.recall(
            question, limit=limit, as_of=as_of, archived=archived, kinds=list(kinds) or None,
            roles=list(roles) or None, sessions=sessions or None, exclude_sessions=others or None,
            since=since, until=until, min_score=min_score, explain=explain,
        )  # fmt: skip
    if as_json:
        return print_json(plain(answers, answers.explained) if answers.explained else answers)
    for answer in answers:
        reasons = ", ".join(f"{name} {share(value)}" for name, value in answer.reasons.items() if value)
        keys = own_keys(answer.sources)
        kind = "statement" if answer.form == "statement" else answer.kind
        named = f"{kind} {short(answer.id)}" if answer.kind in ("fact", "episode") else kind
        click.echo(f"{share(answer.score)}  {one_line(answer.text_with_end)}")
        origin = f"; from {keys}" if keys else ""
        owner = answer.scope if not options.agent else None
        knows = f"; as {owner.agent} knows it in {owner.channel}" if owner else ""
        click.echo(click.style(f"      {named}; {reasons}{one_line(origin)}{one_line(knows)}", dim=True))
    if answers.explained:
        show_explained(answers, answers.explained)
    if answers.embedder_away:
        away = "the embedder does not answer, so this was a keyword search; `slowwave doctor` checks the embedder"
        click.echo(click.style(away, dim=True))
    elif answers.by_words_alone:
        waiting = f"{answers.by_words_alone} older episodes wait for a worker to embed them: found by keywords only"
        click.echo(click.style(waiting, dim=True))
    if not answers and min_score:
        click.echo(f"no memory scores {min_score:g} or more: leave out --min-score to see the best matches")
    elif not answers:
        click.echo(f"no memories of {options.user} here: `slowwave status` shows what is stored")
