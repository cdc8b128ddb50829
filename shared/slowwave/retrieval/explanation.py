"""The explanation of a recall: the duration of its stages, and the effect of each measure."""

from collections.abc import Sequence
from dataclasses import replace

from slowwave.core.recall import calibration
from slowwave.core.recall.candidate import Ranked
from slowwave.core.recall.explanation import measures, parts
from slowwave.core.recall.ranking import weighed
from slowwave.core.recall.scoring import Scoring
from slowwave.domain.recall_explanation.explanation import Explained, Part
from slowwave.retrieval.question import Query
from slowwave.retrieval.stages import SEQUENTIAL, Found
from slowwave.retrieval.stopwatch import Stopwatch


def explained(
    query: Query, scoring: Scoring, found: Found, ranked: Sequence[Ranked], told: Sequence[Ranked], watch: Stopwatch
) -> Explained:
    """Return the explanation of a *query*, from the candidates *found*, the *ranked* ones, and the answers *told*."""
    named = {one.candidate.id for one in told}
    stages = [
        replace(stage, answers=len(named & found.measures[stage.name].keys()))
        if stage.name in found.measures
        else stage
        for stage in watch.stages
    ]
    if any(SEQUENTIAL in one.reasons for one in told):  # answers in order of time have no weighted measures
        by = {one.candidate.id: [Part(SEQUENTIAL, 1.0, one.score, one.score)] for one in told}
        return Explained(stages, measures(ranked, by), by)
    weights = weighed(query.question, query.weights or scoring.weights)
    by = {one.candidate.id: parts(one, weights, scoring) for one in told}
    common = calibration.background([one.match or 0.0 for one in ranked], scoring.calibration)
    return Explained(stages, measures(ranked, by), by, common)
