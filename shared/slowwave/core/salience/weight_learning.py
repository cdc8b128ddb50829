"""Learning of salience weights from memories with feedback on whether they helped."""

from collections.abc import Sequence

import numpy as np

from slowwave.core.salience.terms import BIAS, FEATURES, Salience, SalienceContext, SalientMemory, features

Example = tuple[SalientMemory, SalienceContext, bool]
"""A memory, the question that returned it, and whether it helped."""

STEPS = 2_000
RATE = 0.5
SHRINK = 0.01
"""The regularisation of the weights, so that a few examples change them little."""


def learned(examples: Sequence[Example], by: Salience) -> dict[str, float]:
    """Return the weights with which a `learned` scorer predicts whether a memory helps, to four digits, for use in a
    policy.

    The weights come from a logistic regression. The same examples give the same weights. The weight of recency is never
    below 0; therefore, of two otherwise equal memories, the memory with the more recent use is more salient. Raises
    `ValueError` unless some examples helped and some did not.
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
