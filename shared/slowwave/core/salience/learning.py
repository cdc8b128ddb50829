"""Learning the weights of salience from memories of which somebody said whether they were of use."""

from collections.abc import Sequence

import numpy as np

from slowwave.core.salience.scorers import BIAS, FEATURES, features
from slowwave.core.salience.terms import Salience, SalienceContext, SalientMemory

Example = tuple[SalientMemory, SalienceContext, bool]
"""A memory, the question it was returned for, and whether it helped."""

STEPS = 2_000
RATE = 0.5
SHRINK = 0.01
"""How much a weight is drawn to nothing, so that a few examples move it little."""


def learned(examples: Sequence[Example], by: Salience) -> dict[str, float]:
    """Return the weights by which a `learned` scorer tells what helps, to four digits: what goes into a policy.

    A logistic regression; the same examples give the same weights. That of recency is never below 0: of two memories
    alike in all else the one used later is the more salient. Raises `ValueError` without examples of both kinds.
    """
    if len({bool(helped) for *_, helped in examples}) < 2:
        raise ValueError("weights are learned from memories that helped, and from others that did not")
    rows = np.array([list(features(memory, by, context).values()) for memory, context, _ in examples])
    helped = np.array([float(one) for *_, one in examples])
    weights, bias = np.zeros(len(FEATURES)), 0.0
    for _ in range(STEPS):
        error = 1 / (1 + np.exp(-(rows @ weights + bias))) - helped
        weights -= RATE * (rows.T @ error / len(rows) + SHRINK * weights)
        weights[0] = max(0.0, weights[0])
        bias -= RATE * float(error.mean())
    return {BIAS: round(bias, 4)} | {
        name: round(float(weight), 4) for name, weight in zip(FEATURES, weights, strict=True)
    }
