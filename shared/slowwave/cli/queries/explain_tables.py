"""The tables of `slowwave recall --explain`: the stages, the measures, and the components of each answer's score."""

from typing import Any

import click

from slowwave.cli.printing import console, table
from slowwave.domain.recall_explanation.explanation import Explained
from slowwave.domain.recollection import Recollections


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
