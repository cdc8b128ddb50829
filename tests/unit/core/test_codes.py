"""Sign codes estimate the similarity of vectors."""

import numpy as np
import pytest

from slowwave.core.blocks.codes import BLOCK, Codes, Floats, encode, encoded_bytes, turn
from slowwave.core.blocks.fine_codes import fine_bytes


def cone(dimensions: int, seed: int = 1) -> Floats:
    """Return unit vectors in a narrow cone, like the vectors of conversations."""
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((BLOCK, dimensions)) + 4 * random.standard_normal(dimensions)
    units: Floats = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return units


@pytest.mark.parametrize("dimensions", [48, 256, 300])
def test_codes_estimate_similarity_without_bias(dimensions: int) -> None:
    vectors = cone(dimensions)
    codes = Codes.laid([encode(vectors, np.ones(BLOCK, np.bool_))], dimensions)

    off = np.concatenate([codes.likeness(question) - vectors @ question for question in vectors[:32]])

    assert abs(off.mean()) < 0.002
    assert off.std() < 0.6 / np.sqrt(dimensions)


@pytest.mark.parametrize("dimensions", [48, 256, 300])
def test_fine_codes_estimate_similarity_with_a_sixth_of_the_error(dimensions: int) -> None:
    vectors = cone(dimensions)
    codes = Codes.laid([encode(vectors, np.ones(BLOCK, np.bool_))], dimensions)
    places = np.arange(0, BLOCK, 3)

    off = np.concatenate([codes.closer(question, places) - vectors[places] @ question for question in vectors[:32]])

    assert abs(off.mean()) < 0.0005
    assert off.std() < 0.1 / np.sqrt(dimensions)


def test_a_missing_or_zero_vector_has_no_fine_likeness() -> None:
    vectors, there = cone(48), np.ones(BLOCK, np.bool_)
    vectors[3], there[5] = 0, False

    codes = Codes.laid([None, encode(vectors, there)], 48)
    closer = codes.closer(vectors[0], np.arange(2 * BLOCK))

    assert (closer[:BLOCK] == 0).all()
    assert set(np.flatnonzero(closer[BLOCK:] == 0)) == {3, 5}


def test_codes_of_an_earlier_version_have_signs_alone() -> None:
    vectors, there = cone(256), np.ones(BLOCK, np.bool_)
    block = encode(vectors, there)
    early = block[: len(block) - fine_bytes(256, BLOCK)]

    codes, both = Codes.laid([block], 256), Codes.laid([block, early], 256)

    assert len(block) == encoded_bytes(256)
    assert (codes.fine is not None, both.fine, codes.then(both).fine) == (True, None, None)
    assert (both.likeness(vectors[0])[BLOCK:] == codes.likeness(vectors[0])).all()


def test_a_missing_or_zero_vector_has_likeness_zero() -> None:
    vectors, there = cone(48), np.ones(BLOCK, np.bool_)
    vectors[3], there[5] = 0, False

    likeness = Codes.laid([None, encode(vectors, there)], 48).likeness(vectors[0])

    assert (likeness[:BLOCK] == 0).all()
    assert set(np.flatnonzero(likeness[BLOCK:] == 0)) == {3, 5}


def test_a_block_without_vectors_has_similarity_zero() -> None:
    nothing = encode(np.zeros((BLOCK, 48), np.float32), np.zeros(BLOCK, np.bool_))

    assert (Codes.laid([nothing], 48).likeness(np.ones(48, np.float32)) == 0).all()


def test_the_rotation_is_the_same_on_every_machine() -> None:
    turned = turn(np.eye(256, dtype=np.float32))

    assert np.allclose(turned @ turned.T, np.eye(256), atol=1e-5)
    assert np.allclose(turned[0, :4] * 16, [-0.906, -0.094, 0.781, -0.281], atol=1e-3)  # stored codes depend on it
