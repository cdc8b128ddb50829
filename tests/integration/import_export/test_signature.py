"""An export has a signature, by which its own installation finds every later change."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from slowwave import wiring
from slowwave.errors import Incorrect
from slowwave.memory import Memory
from slowwave.memory.import_export.file_format import RunningDigest, written
from slowwave.memory.import_export.signing import Signer, signer_of
from slowwave.memory.import_export.verifying import verify_export
from tests.integration.command import Run, of_alice

Lines = list[bytes]

RECORDS = {
    "slowwave", "scope", "watermarks", "episode_keys", "episodes", "conversations", "runs", "facts", "deltas", "undos",
    "undone", "entities", "standing", "edges", "graph_versions", "legal_holds", "goals",
}  # fmt: skip
"""The types of records that `export` contains at least."""
OTHER: Mapping[type, Callable[[Any], Any]] = {
    bool: lambda value: not value,
    int: lambda value: value + 1,
    float: lambda value: value / 2 + 0.001,
    str: lambda value: f"{value[:-1]}{'0' if value[-1:] != '0' else '1'}",
    list: lambda value: value[1:] if value else [None],
    dict: lambda value: {} if value else {"a": 1},
    type(None): lambda _: 0,
}
"""Another value of the same type, and for a text also of the same length."""


@pytest.fixture
def export(alice: Memory, tmp_path: Path) -> Path:
    """An export with many types of records, with an undo and an erasure."""
    here = of_alice(alice)
    here.goals.add("find a flat in Oslo")
    here.push("My cat is called Tiny.")
    here.consolidate()
    (home,) = (fact for fact in here.facts() if fact.predicate == "lives_in")
    here.correct(home.id)
    here.forget(matching="Tiny", rewrite=False)
    alice.hold(here, reason="a lawsuit")
    alice.export(tmp_path / "all.jsonl")
    return tmp_path / "all.jsonl"


@pytest.fixture
def signer(parts: wiring.Parts, alice: Memory) -> Signer:
    found = signer_of(parts, "default")
    assert found is not None
    return found


def lines_of(file: Path) -> Lines:
    return file.read_bytes().splitlines(keepends=True)


def with_new_digest(lines: Lines) -> bytes:
    """Return *lines* with counts and the digest of the lines, as an attacker without the key would write them."""
    found = RunningDigest()
    for line in lines[:-1]:
        found.take(line, next(iter(json.loads(line))))
    return b"".join([*lines[:-1], written({"end": json.loads(lines[-1])["end"] | found.foot})])


def problems_of(file: Path, signer: Signer) -> str:
    try:
        verify_export(file, lambda _: signer)
    except Incorrect as error:
        return error.message
    return ""


def test_an_unchanged_export_matches_its_signature(export: Path, alice: Memory, run: Run, signer: Signer) -> None:
    said = run("verify", "--signed", str(export))

    assert (said.status, said.err) == (0, "")
    assert said.out.endswith("\nthe signature matches: nobody changed the file after the export\n")
    assert verify_export(export, lambda _: signer).signature == "valid"
    assert alice.verify_export(export, signed=True)[0] == verify_export(export).counts


def test_each_change_of_a_field_is_found_and_its_line_is_named(export: Path, signer: Signer) -> None:
    before = lines_of(export)
    first = {next(iter(json.loads(line))): number for number, line in reversed(list(enumerate(before)))}
    assert set(first) > RECORDS

    unseen = []
    for what, number in first.items():
        row = json.loads(before[number])[what]
        for name, value in row.items() if what != "end" else ():
            changed = written({what: {**row, name: OTHER[type(value)](value)}})
            assert changed != before[number]
            export.write_bytes(with_new_digest([*before[:number], changed, *before[number + 1 :]]))
            found = problems_of(export, signer)
            named = {
                ("slowwave", "key"): "",
                ("slowwave", "format"): "line 1: format",
                ("slowwave", "columns"): "line 1",
            }
            if named.get((what, name), f"line {number + 1}: was changed after the export") not in found:
                unseen.append((what, name, found))

    assert unseen == []


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda lines: [*lines[:5], *lines[6:]], "line 6: from here on, lines were removed after the export"),
        (lambda lines: [*lines[:5], lines[4], *lines[5:]], "line 6: from here on, lines were added after the export"),
        (lambda lines: [*lines[:-2], lines[-1]], "from here on, lines were removed after the export"),
        (lambda lines: [*lines[:4], lines[5], lines[4], *lines[6:]], "line 5: was changed after the export"),
        (lambda lines: [*lines[:4], lines[4].replace(b":", b": ", 1), *lines[5:]], "line 5: was changed after"),
    ],
)
def test_lines_that_were_removed_added_swapped_or_spelt_otherwise_are_found(
    export: Path, signer: Signer, spoil: Callable[[Lines], Lines], said: str
) -> None:
    export.write_bytes(with_new_digest(spoil(lines_of(export))))

    assert said in problems_of(export, signer)


@pytest.mark.parametrize("name", ["scopes", "rows", "sha256", "lines", "signature", "more"])
def test_each_change_of_the_foot_is_found(export: Path, signer: Signer, name: str) -> None:
    *lines, last = lines_of(export)
    foot = json.loads(last)["end"]
    export.write_bytes(b"".join([*lines, written({"end": foot | {name: OTHER[type(foot.get(name))](foot.get(name))}})]))

    assert f"line {len(lines) + 1}: " in problems_of(export, signer)


def test_a_foot_in_another_spelling_is_found(export: Path, signer: Signer) -> None:
    export.write_bytes(export.read_bytes()[:-1])

    assert "signature: the file was changed by somebody without the key" in problems_of(export, signer)


def test_a_signature_of_which_one_half_was_removed_is_found_without_the_key(export: Path) -> None:
    head, *lines = lines_of(export)
    keyless = json.loads(head)
    del keyless["slowwave"]["key"]
    export.write_bytes(with_new_digest([written(keyless), *lines]))

    with pytest.raises(Incorrect, match="signature: is missing here, or its key is missing in line 1"):
        verify_export(export)


def unsigned(lines: Lines) -> Lines:
    head, foot = json.loads(lines[0]), json.loads(lines[-1])
    del head["slowwave"]["key"], foot["end"]["signature"], foot["end"]["lines"]
    return [written(head), *lines[1:-1], written(foot)]


def test_an_export_without_a_signature_is_verified_and_said_to_have_none(export: Path, alice: Memory, run: Run) -> None:
    export.write_bytes(with_new_digest(unsigned(lines_of(export))))

    said, asked = run("verify", str(export)), run("verify", "--signed", str(export))

    assert said.status == 0
    assert "\nthe file has no signature: an older version wrote it, or somebody removed the signature\n" in said.out
    assert asked.status == 1
    assert "the file has no signature" in asked.err
    assert alice.verify_export(export)
    with pytest.raises(Incorrect, match="the file has no signature"):
        alice.verify_export(export, signed=True)


def test_an_export_of_another_installation_is_said_to_have_another_key(
    export: Path, there: Memory, elsewhere: wiring.Parts
) -> None:
    there.import_file(export)

    assert verify_export(export, partial(signer_of, elsewhere)).signature == "foreign"
    assert there.verify_export(export)
    with pytest.raises(Incorrect, match="made with the key of another installation"):
        there.verify_export(export, signed=True)


def test_an_imported_export_is_signed_with_the_key_of_its_new_installation(
    export: Path, there: Memory, elsewhere: wiring.Parts, tmp_path: Path
) -> None:
    there.import_file(export)
    there.export(tmp_path / "back.jsonl")

    assert there.verify_export(tmp_path / "back.jsonl", signed=True)
    assert list(wiring.checks(elsewhere.database).findings(folds=None)) == []
