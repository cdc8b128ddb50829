"""Files of other projects: what was said becomes episodes, what was concluded is found and never believed."""

import json
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.cli.import_export.other_formats import episodes_of
from slowwave.memory import Memory, due_work
from tests.integration.command import Run

FILES = Path(__file__).parents[2] / "foreign_exports"


@pytest.mark.parametrize(
    ("form", "file", "told"),
    [
        ("honcho", "honcho-v3.jsonl", [("user", "I moved to Oslo."), ("assistant", "How do you like it?"),
                                       ("system", "Dana lives in Oslo")]),
        ("langgraph", "langgraph-1.0.jsonl", [("system", "Lives in Oslo"),
                                              ("system", '{"languages": ["no", "en"], "name": "Dana"}')]),
        ("openai", "openai-chat.jsonl", [("user", "I live in Oslo."), ("assistant", "A fine town."),
                                         ("user", "I love jazz."), ("assistant", "So do I.")]),
        ("chatgpt", "chatgpt-2025.json", [("user", "I live in Oslo."), ("assistant", "A fine town.")]),
    ],
)  # fmt: skip
def test_an_imported_file_becomes_episodes_with_their_origin_once(
    run: Run, parts: wiring.Parts, form: str, file: str, told: list[tuple[str, str]]
) -> None:
    said = [run("import", str(FILES / file), "--from", form, "--user", "dana") for _ in range(2)]

    assert [one.out for one in said] == [f"{len(told)} stored\n", f"0 stored, {len(told)} known already\n"]
    found = Memory(parts).scope("dana", agent="default").recent()
    assert sorted((one.role, one.content) for one in found) == sorted(told)
    assert {one.metadata["source"] for one in found} == {form}


def test_memories_of_another_project_are_recallable_but_not_facts(run: Run, parts: wiring.Parts) -> None:
    file = str(FILES / "mem0-1.0.json")
    tried = run("import", file, "--from", "mem0", "--dry-run")
    assert (tried.status, tried.out.splitlines()[2]) == (1, "2 would be stored, 1 refused")
    assert parts.records.overview("default").episodes == 0

    said = run("import", file, "--from", "mem0")
    assert (said.status, said.out, said.err) == (1, "2 stored, 1 refused\n", "item 3: content: is empty\n")
    due_work.fire(parts)
    memory = Memory(parts)
    memory.drain()
    assert memory.scope("dana").facts() == []
    assert "Lives in Oslo" in [one.text for one in memory.scope("dana").recall("Where does Dana live?")]


def test_a_json_page_on_one_line_is_read_as_its_items(tmp_path: Path) -> None:
    file = tmp_path / "page.json"
    file.write_text(json.dumps({"results": [{"id": str(number), "memory": "Likes tea"} for number in (1, 2)]}) + "\n")

    (batch,) = episodes_of("mem0", file)

    assert [(number, json.loads(item)["content"]) for number, item in batch] == [(1, "Likes tea"), (2, "Likes tea")]
