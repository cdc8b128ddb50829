"""Sign codes. A sign code stores a vector as one bit per dimension. The similarity of two vectors is estimated from
their sign codes.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from slowwave.core.blocks.fine_codes import across, encode_fine, fine_bytes

BLOCK = 256
"""The number of positions in a block. Inside a block, a position takes one byte."""

PACKED_FROM = 2_048
"""The fewest positions of a scope with packed blocks. A smaller scope is read whole, which takes 10 ms; blocks would
save little."""


Floats = NDArray[np.float32]

WORD = 64
LEVELS = 4
"""The bits per dimension of a question's vector. With this number, its error is far smaller than the error of the
signs."""
EXACT_BYTES = 16 * 2**20
"""The maximum number of bytes of exact vectors that are kept beside the codes of a scope. They are enough for 16 000
positions of 256 dimensions.
"""
AT_ONCE = 8_192
"""The number of positions that are counted at once. They stay in the processor's cache."""
ROUNDS = 3
"""The rounds of sign flips and mixing. Two rounds come close enough to a random rotation, and the third is a
reserve."""


def encode(vectors: Floats, there: NDArray[np.bool_]) -> bytes:
    """Return the codes of a block's *vectors*, one per position. *there* marks the positions that have a vector."""
    units = unit_vectors(vectors)
    there = there & units.any(axis=1)
    mean = units[there].mean(axis=0) if there.any() else np.zeros(vectors.shape[1], np.float32)
    turned = turn(units - mean)
    spread = np.abs(turned).sum(axis=1)
    scale = np.divide((turned**2).sum(axis=1), spread, out=np.zeros_like(spread), where=spread > 0)
    scale[~there] = np.nan
    signs = np.packbits(turned > 0, axis=1, bitorder="little").view("<u8").T
    parts = mean.astype("<f4"), scale.astype("<f4"), signs
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts) + encode_fine(turned, there)


def encoded_bytes(dimensions: int) -> int:
    """Return the number of bytes of a block's codes, as `encode` makes them. An earlier version stored fewer.

    >>> encoded_bytes(256)
    44032
    """
    return _sign_bytes(dimensions) + fine_bytes(width(dimensions), BLOCK)


def _sign_bytes(dimensions: int) -> int:
    return 4 * (dimensions + BLOCK) + width(dimensions) * BLOCK // 8


def unit_vectors(vectors: Floats) -> Floats:
    """Return *vectors*, one per row, scaled to length 1. A zero vector stays a zero vector."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    units: Floats = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return units


@dataclass(frozen=True, slots=True)
class Codes:
    """The joined codes of many blocks of one space.

    *means* has one row per block. All other fields have one entry per position. *ones* is the number of positive
    *signs*. *fine* has the steps of the fine codes, and *fine_scales* their scales; *fine* is None if some block was
    packed by a version without fine codes. *exact* has the unit vectors themselves, with zeros for a position without a
    vector. *exact* is None if the unit vectors are not kept.
    """

    means: Floats
    scales: Floats
    signs: NDArray[np.uint64]
    ones: Floats
    fine: NDArray[np.uint8] | None
    fine_scales: Floats
    exact: Floats | None

    @classmethod
    def laid(cls, blocks: Sequence[bytes | None], dimensions: int, exact: Floats | None = None) -> "Codes":
        """Return the joined codes of *blocks*. None means a block without codes."""
        planes = width(dimensions) // WORD
        means = np.zeros((len(blocks), dimensions), np.float32)
        scales = np.full(len(blocks) * BLOCK, np.nan, np.float32)
        signs = np.zeros((planes, len(blocks) * BLOCK), np.uint64)
        fine, fine_scales = np.zeros((len(scales), planes * WORD // 2), np.uint8), np.full_like(scales, np.nan)
        coarse = False
        for number, block in enumerate(blocks):
            if block is not None:
                here = slice(number * BLOCK, (number + 1) * BLOCK)
                means[number] = np.frombuffer(block, "<f4", dimensions)
                scales[here] = np.frombuffer(block, "<f4", BLOCK, 4 * dimensions)
                after = 4 * (dimensions + BLOCK)
                signs[:, here] = np.frombuffer(block, "<u8", planes * BLOCK, after).reshape(planes, BLOCK)
                if len(block) < encoded_bytes(dimensions):
                    coarse = True
                    continue
                after = _sign_bytes(dimensions)
                fine_scales[here] = np.frombuffer(block, "<f4", BLOCK, after)
                fine[here] = np.frombuffer(block, "u1", -1, after + 4 * BLOCK).reshape(BLOCK, -1)
        ones = np.bitwise_count(signs).sum(axis=0, dtype=np.float32)
        exact = exact if exact is not None and exact.nbytes <= EXACT_BYTES else None
        return cls(means, scales, signs, ones, None if coarse else fine, fine_scales, exact)

    def then(self, more: "Codes") -> "Codes":
        """Return these codes followed by *more*."""
        exact = None
        if self.exact is not None and more.exact is not None and self.exact.nbytes + more.exact.nbytes <= EXACT_BYTES:
            exact = np.concatenate([self.exact, more.exact])
        return Codes(
            np.concatenate([self.means, more.means]),
            np.concatenate([self.scales, more.scales]),
            np.concatenate([self.signs, more.signs], axis=1),
            np.concatenate([self.ones, more.ones]),
            None if self.fine is None or more.fine is None else np.concatenate([self.fine, more.fine]),
            np.concatenate([self.fine_scales, more.fine_scales]),
            exact,
        )

    @property
    def nbytes(self) -> int:
        """The memory used, in bytes."""
        arrays = self.means, self.scales, self.signs, self.ones, self.fine, self.fine_scales, self.exact
        return sum(0 if each is None else each.nbytes for each in arrays)

    def likeness(self, question: Floats) -> Floats:
        """Return the cosine between *question* and the vector of each position, estimated or exact.

        The cosine is 0 for a position without a vector.
        """
        unit = question / np.linalg.norm(question)
        if self.exact is not None:
            close: Floats = np.vecdot(self.exact, unit)
            return close
        turned = turn(unit[None])[0]
        low = float(turned.min())
        step = (float(turned.max()) - low) / (2**LEVELS - 1) or 1.0
        levels = np.rint((turned - low) / step).astype(np.uint8)
        counted = low * self.ones + step * self._count(levels)
        across = 2 * counted - np.float32((low + step * levels).sum())
        near: Floats = np.repeat(self.means @ unit, BLOCK) + self.scales * across
        return np.nan_to_num(near, copy=False)

    def closer(self, question: Floats, places: NDArray[np.int64]) -> Floats:
        """Return the cosine between *question* and the vector at each of *places*, estimated from the fine codes.

        The cosine is 0 for a position without a vector. Call this only if `fine` is not None.
        """
        if self.fine is None:
            raise ValueError("these codes have no fine codes")
        unit = question / np.linalg.norm(question)
        turned = turn(unit[None])[0]
        near: Floats = (self.means @ unit)[places // BLOCK]
        for first in range(0, len(places), AT_ONCE):
            part = places[first : first + AT_ONCE]
            near[first : first + AT_ONCE] += self.fine_scales[part] * across(self.fine[part], turned)
        return np.nan_to_num(near, copy=False)

    def _count(self, levels: NDArray[np.uint8]) -> Floats:
        masks = [np.packbits(levels >> bit & 1, bitorder="little").view("<u8") for bit in range(LEVELS)]
        total = np.empty(self.signs.shape[1], np.float32)
        both, counts = np.empty(AT_ONCE, np.uint64), np.empty(AT_ONCE, np.uint8)
        for first in range(0, len(total), AT_ONCE):
            signs = self.signs[:, first : first + AT_ONCE]
            many = signs.shape[1]
            summed = np.zeros(many, np.uint16)
            for mask in reversed(masks):
                summed <<= 1
                for plane, own in zip(signs, mask, strict=True):
                    np.bitwise_and(plane, own, out=both[:many])
                    np.bitwise_count(both[:many], out=counts[:many])
                    summed += counts[:many]
            total[first : first + many] = summed
        return total


def turn(vectors: Floats) -> Floats:
    """Return *vectors*, one per row, rotated by a fixed rotation. The number of dimensions becomes the next power of
    two.

    The rotation flips signs and mixes all dimensions (a fast Walsh-Hadamard transform) in several rounds. The result is
    stored, and therefore is the same on every machine. No matrix product is used, because it would start many threads.

    >>> turned = turn(np.eye(3, dtype=np.float32))
    >>> turned.shape, bool(np.allclose(turned @ turned.T, np.eye(3), atol=1e-5))
    ((3, 64), True)
    """
    size, many = width(vectors.shape[1]), len(vectors)
    turned: Floats = np.zeros((size, many), np.float32)
    turned[: vectors.shape[1]] = vectors.T
    for flips in _flips(size):
        turned *= flips[:, None]
        step = 1
        while step < size:
            pairs = turned.reshape(-1, 2, step, many)
            less = pairs[:, 0] - pairs[:, 1]
            pairs[:, 0] += pairs[:, 1]
            pairs[:, 1] = less
            step *= 2
    return np.ascontiguousarray(turned.T)


def width(dimensions: int) -> int:
    """Return the number of signs for a vector with this many dimensions.

    >>> width(48), width(256), width(300)
    (64, 256, 512)
    """
    return max(WORD, 1 << (dimensions - 1).bit_length())


@cache
def _flips(size: int) -> list[Floats]:
    """The signs of each round, scaled so that mixing preserves length."""
    rounds = [hashlib.shake_256(b"rotation %d" % number).digest(size // 8) for number in range(ROUNDS)]
    signs = [1 - 2 * np.unpackbits(np.frombuffer(bits, np.uint8)).astype(np.float32) for bits in rounds]
    return [(sign / np.float32(np.sqrt(size))).astype(np.float32) for sign in signs]
