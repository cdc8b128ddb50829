"""What the default embedder promises."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from slowwave.errors import Fault
from slowwave.inference.static_embedder import WEIGHTS, StaticEmbedder
from slowwave.ports import Embedder


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return StaticEmbedder()


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "☃☃"])
def test_a_text_of_unknown_tokens_has_no_vector(embedder: Embedder, text: str) -> None:
    assert not embedder.embed([text]).any()


def test_a_text_has_the_same_vector_alone_and_in_company(embedder: Embedder) -> None:
    texts = [f"Alice saw {n} whales near Bergen" * (1 + n % 3) for n in range(40)]

    assert np.allclose(embedder.embed(texts), np.vstack([embedder.embed([text]) for text in texts]), atol=1e-6)


def test_a_very_long_text_is_read_from_its_beginning(embedder: Embedder) -> None:
    long, short = embedder.embed(["whales in Bergen " * 15_000, "whales in Bergen " * 100])

    assert long @ short > 0.99


def test_the_weights_match_the_hashes_of_the_notice() -> None:
    lines = [line.split() for line in (WEIGHTS / "NOTICE").read_text().splitlines() if line.endswith(_SUFFIXES)]
    named = {name: digest for digest, name in lines}

    assert {path.name for path in WEIGHTS.iterdir()} == {*named, "NOTICE"}
    assert {name: hashlib.sha256((WEIGHTS / name).read_bytes()).hexdigest() for name in named} == named


def test_missing_weights_are_reported_and_never_fetched(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="weights are not at"):
        StaticEmbedder(tmp_path / "nowhere").embed(["hello"])


def test_importing_the_embedder_imports_no_model_library() -> None:
    heavy = "{'model2vec', 'tokenizers', 'huggingface_hub', 'safetensors'}"
    code = f"import sys; import slowwave.inference.static_embedder; print(sorted({heavy} & set(sys.modules)))"

    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.check_output([sys.executable, "-c", code], text=True, env=here) == "[]\n"


_SUFFIXES = (".json", ".safetensors")
