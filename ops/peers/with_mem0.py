"""mem0 told a talk and asked its questions, in an environment of its own: `with_mem0.py DATABASE MODEL TALK`."""

import json
import sys
import time
from pathlib import Path

from mem0 import Memory

BATCH = 20


def main(database: str, model: str, talk: Path) -> None:
    """Print the seconds until all is told, and of each question what was found and how long it took."""
    told = json.loads(talk.read_text())
    openai = {"api_key": "none", "openai_base_url": model}
    memory = Memory.from_config({
        "llm": {"provider": "openai", "config": {**openai, "model": "stub"}},
        "embedder": {"provider": "openai", "config": {**openai, "model": "stub", "embedding_dims": told["dimensions"]}},
        "vector_store": {"provider": "pgvector", "config": {
            "connection_string": database, "embedding_model_dims": told["dimensions"]}},
        "history_db_path": str(talk.with_name("mem0-history.db")),
    })  # fmt: skip
    began = time.perf_counter()
    for first in range(0, len(told["messages"]), BATCH):
        memory.add(told["messages"][first : first + BATCH], user_id="nora")
    seconds = time.perf_counter() - began
    found = []
    for question in told["questions"]:
        began = time.perf_counter()
        results = memory.search(question, filters={"user_id": "nora"}, top_k=10)["results"]
        found.append({"seconds": time.perf_counter() - began, "texts": [one["memory"] for one in results]})
    print(json.dumps({"seconds": seconds, "found": found}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
