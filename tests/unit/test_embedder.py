"""The default embedder and its tokenizer."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from slowwave.errors import Fault
from slowwave.inference.static_embedder import WEIGHTS, StaticEmbedder, WordPiece
from slowwave.ports import Embedder


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return StaticEmbedder()


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "☃☃"])
def test_a_text_of_unknown_tokens_has_no_vector(embedder: Embedder, text: str) -> None:
    assert not embedder.embed([text]).any()


def test_the_weights_match_the_hashes_of_the_notice() -> None:
    lines = [line.split() for line in (WEIGHTS / "NOTICE").read_text().splitlines() if line.endswith(_SUFFIXES)]
    named = {name: digest for digest, name in lines}

    assert {path.name for path in WEIGHTS.iterdir()} == {*named, "NOTICE"}
    assert {name: hashlib.sha256((WEIGHTS / name).read_bytes()).hexdigest() for name in named} == named


def test_missing_weights_are_reported_and_never_fetched(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="weights are not at"):
        StaticEmbedder(tmp_path / "nowhere").embed(["hello"])


_SUFFIXES = (".json", ".safetensors")


EVERY_CHARACTER = "4ab4b31bd98e32d3ceaf917e50733fe4a64942874da1965ad975f7abf09513a2"
GOLDEN = [json.loads(line) for line in Path(__file__).with_name("tokens.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def tokens() -> WordPiece:
    said = json.loads((WEIGHTS / "tokenizer.json").read_text())
    special = {token["content"]: token["id"] for token in said["added_tokens"]}
    return WordPiece(said["model"]["vocab"], unknown=said["model"]["vocab"]["[UNK]"], special=special)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: ascii(golden["text"])[:30])
def test_the_tokenizer_returns_the_tokens_of_the_reference_library(tokens: WordPiece, golden: dict[str, Any]) -> None:
    assert tokens(golden["text"]) == golden["tokens"]


def test_each_character_of_the_first_plane_is_tokenised_as_in_the_reference(tokens: WordPiece) -> None:
    assert digest(tokens(f"bar{chr(point)}king") for point in range(0x10000) if not 0xD800 <= point < 0xE000) == (
        EVERY_CHARACTER
    )


def test_the_vector_of_a_text_is_that_of_the_library() -> None:
    rows = StaticEmbedder().embed([golden["text"] for golden in GOLDEN])

    assert np.allclose(rows[:, :8], [golden["begins"] for golden in GOLDEN], atol=1e-6)


def test_half_a_surrogate_pair_is_an_unknown_word(tokens: WordPiece) -> None:
    assert tokens("\ud83d whales") == [tokens.unknown, *tokens("whales")]


def digest(lists: Iterable[list[int]]) -> str:
    found = hashlib.sha256()
    for each in lists:
        found.update(json.dumps(each).encode())
    return found.hexdigest()
