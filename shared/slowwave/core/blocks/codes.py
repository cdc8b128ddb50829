"""Sign codes: a vector as one bit a dimension and one number, from which its likeness to a question is estimated.

A block's vectors are centred on their mean, turned by a fixed rotation and cut to their signs. With y what is left of a
vector and s its signs, |y|² / ⟨y, s⟩ · ⟨question, s⟩ estimates ⟨question, y⟩ without bias (RaBitQ, Gao and Long 2024,
arXiv:2405.12497). Without centring most signs agree, for vectors of talk lie in a narrow cone.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slowwave.core.blocks.sizes import BLOCK

Floats = NDArray[np.float32]

WORD = 64
LEVELS = 4
"""Bits a dimension of a question: its error is then far below that of the signs."""
ROUNDS = 3
"""Of flipping signs and mixing all dimensions: after two the result is near enough to any rotation, one to spare."""


def encode(vectors: Floats, there: NDArray[np.bool_]) -> bytes:
    """Return the codes of a block's *vectors*, a row a position; those that are not *there* come to no likeness."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    there = there & (norms[:, 0] > 0)
    units = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    mean = units[there].mean(axis=0) if there.any() else np.zeros(vectors.shape[1], np.float32)
    turned = (units - mean) @ rotation(vectors.shape[1])
    spread = np.abs(turned).sum(axis=1)
    scale = np.divide((turned**2).sum(axis=1), spread, out=np.zeros_like(spread), where=spread > 0)
    scale[~there] = np.nan
    signs = np.packbits(turned > 0, axis=1, bitorder="little").view("<u8").T
    return b"".join(np.ascontiguousarray(part).tobytes() for part in (mean.astype("<f4"), scale.astype("<f4"), signs))


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes of many blocks of one space, laid end to end: a row of *means* a block, a place a position."""

    means: Floats
    scales: Floats
    signs: NDArray[np.uint64]

    @classmethod
    def laid(cls, blocks: Sequence[bytes | None], dimensions: int) -> "Codes":
        """Return the codes of *blocks*; None is one that has none."""
        planes = rotation(dimensions).shape[1] // WORD
        means = np.zeros((len(blocks), dimensions), np.float32)
        scales = np.full(len(blocks) * BLOCK, np.nan, np.float32)
        signs = np.zeros((planes, len(blocks) * BLOCK), np.uint64)
        for number, block in enumerate(blocks):
            if block is not None:
                here = slice(number * BLOCK, (number + 1) * BLOCK)
                means[number] = np.frombuffer(block, "<f4", dimensions)
                scales[here] = np.frombuffer(block, "<f4", BLOCK, 4 * dimensions)
                signs[:, here] = np.frombuffer(block, "<u8", -1, 4 * (dimensions + BLOCK)).reshape(planes, BLOCK)
        return cls(means, scales, signs)

    def then(self, more: "Codes") -> "Codes":
        """Return these codes and *more*, which come after them."""
        return Codes(
            np.concatenate([self.means, more.means]),
            np.concatenate([self.scales, more.scales]),
            np.concatenate([self.signs, more.signs], axis=1),
        )

    @property
    def nbytes(self) -> int:
        """The memory they take, in bytes."""
        return self.means.nbytes + self.scales.nbytes + self.signs.nbytes

    def likeness(self, question: Floats) -> Floats:
        """Return the estimated cosine of each position to *question*; 0 where there is no vector."""
        unit = question / np.linalg.norm(question)
        turned = unit @ rotation(len(unit))
        low = float(turned.min())
        step = (float(turned.max()) - low) / (2**LEVELS - 1) or 1.0
        levels = np.rint((turned - low) / step).astype(np.uint8)
        counted = low * self._count(np.ones_like(levels)) + step * self._count(levels)
        across = 2 * counted - np.float32((low + step * levels).sum())
        near: Floats = np.repeat(self.means @ unit, BLOCK) + self.scales * across
        return np.nan_to_num(near, copy=False)

    def _count(self, levels: NDArray[np.uint8]) -> Floats:
        """Return the sum of the *levels* of those dimensions in which each position's sign is positive."""
        total = np.zeros(self.signs.shape[1], np.uint16)
        for bit in range(int(levels.max()).bit_length()):
            plane = np.packbits(levels >> bit & 1, bitorder="little").view("<u8")
            for mask, signs in zip(plane, self.signs, strict=True):
                total += np.bitwise_count(signs & mask).astype(np.uint16) << np.uint16(bit)
        return total.astype(np.float32)


@cache
def rotation(dimensions: int) -> Floats:
    """Return a rotation of *dimensions* into the next power of two, the same on every machine: it is in what is stored.

    >>> turned = rotation(3)
    >>> turned.shape, bool(np.allclose(turned @ turned.T, np.eye(3), atol=1e-5))
    ((3, 64), True)
    """
    size = max(WORD, 1 << (dimensions - 1).bit_length())
    turned: NDArray[Any] = np.eye(dimensions, size, dtype=np.float32)
    mixing = _hadamard(size)
    for number in range(ROUNDS):
        flips = np.unpackbits(np.frombuffer(hashlib.shake_256(b"rotation %d" % number).digest(size // 8), np.uint8))
        turned = (turned * (1 - 2 * flips.astype(np.float32))) @ mixing
    return turned


def _hadamard(size: int) -> Floats:
    """The matrix of Sylvester, of length 1 a row."""
    matrix = np.ones((1, 1), np.float32)
    while len(matrix) < size:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix / np.float32(np.sqrt(size))
