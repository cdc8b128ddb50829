"""langmem told a talk and asked its questions, in an environment of its own: `with_langmem.py DATABASE MODEL TALK`."""

import json
import sys
import time
from pathlib import Path

from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from langgraph.store.postgres import PostgresStore
from langmem import create_memory_store_manager

BATCH = 20
WHOSE = {"configurable": {"langgraph_user_id": "nora"}}


def main(database: str, model: str, talk: Path) -> None:
    """Print the seconds until all is told, and of each question what was found and how long it took."""
    told = json.loads(talk.read_text())
    vectors = OpenAIEmbeddings(model="stub", base_url=model, api_key="none", check_embedding_ctx_length=False)
    with PostgresStore.from_conn_string(database, index={"dims": told["dimensions"], "embed": vectors}) as store:
        store.setup()
        stub = ChatOpenAI(model="stub", base_url=model, api_key="none")
        manager = create_memory_store_manager(stub, store=store)
        began = time.perf_counter()
        for first in range(0, len(told["messages"]), BATCH):
            manager.invoke({"messages": told["messages"][first : first + BATCH]}, config=WHOSE)
        seconds = time.perf_counter() - began
        found = []
        for question in told["questions"]:
            began = time.perf_counter()
            results = manager.search(query=question, limit=10, config=WHOSE)
            texts = [str(one.value) for one in results]
            found.append({"seconds": time.perf_counter() - began, "texts": texts})
    print(json.dumps({"seconds": seconds, "found": found}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
