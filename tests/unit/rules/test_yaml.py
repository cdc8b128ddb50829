"""Harmful YAML is refused before anything is built from it."""

from pathlib import Path

from slowwave.rules.yaml_file import DEPTH, FILE_BYTES, MOST_VALUES, parse_yaml, read_yaml
from tests.unit.tables import over


@over(
    [
        ("a: &x [1]\nb: *x", "line 2: aliases (*x) are not allowed"),
        ("a: &x [1]", "line 1: anchors (&x) are not allowed"),
        ("a: !!python/object/apply:os.system [id]", "tags (!!python/object/apply:os.system) are not allowed"),
        ("a: !mine 1", "tags (!mine) are not allowed"),
        ("a: 1\nb: 2\na: 3", "line 3: the key a is listed twice"),
        ("a:\n  b: 1\n  b: 2", "line 3: the key a.b is listed twice"),
        ("[a]: 1", "line 1: expected plain text as a key"),
        ("<<: {a: 1}", "line 1: expected plain text as a key"),
        ("a: [", "line 2: is not YAML: did not find expected node content; compare the indentation"),
        ("a:\n\tb: 1", "line 2: is not YAML: found character that cannot start any token; indent with spaces"),
        ("a: 1\n---\nb: 2", "is not YAML"),
        ("", "is empty"),
        ("a: 2026-13-45", "holds a value that cannot be read"),
        ("a: \x07", "is not YAML"),
        ("[" * (DEPTH + 1), f"line 1: is nested deeper than {DEPTH}"),
        ("[" * 100_000, f"is nested deeper than {DEPTH}"),
        ("{a: " * 60_000, f"is nested deeper than {DEPTH}"),
    ]
)
def test_each_yaml_error_is_reported(text: str, problem: str) -> None:
    value, problems = parse_yaml(text)
    assert value is None
    assert any(problem in line for line in problems), problems


def test_nested_aliases_are_refused_without_expansion() -> None:
    layers = "\n".join(f"l{n + 1}: &l{n + 1} [{', '.join([f'*l{n}'] * 9)}]" for n in range(9))
    value, problems = parse_yaml(f"l0: &l0 [lol]\n{layers}")
    assert value is None
    assert len(problems) == 51
    assert problems[-1] == "and 41 more"


def test_a_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "pack.yaml"
    path.write_bytes(b"#" * FILE_BYTES)
    assert read_yaml(path) == (None, ["is empty"])
    path.write_bytes(b"#" * (FILE_BYTES + 1))
    assert read_yaml(path) == (None, [f"is longer than {FILE_BYTES} bytes"])


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pack.yaml"
    path.write_bytes(b"a: \xff")
    assert read_yaml(path) == (None, ["is not UTF-8 at byte 3"])


def test_a_folder_cannot_be_read_as_a_file(tmp_path: Path) -> None:
    assert read_yaml(tmp_path)[1][0].startswith("cannot be read")


def test_a_file_of_more_values_than_anybody_writes_is_refused_before_any_is_built() -> None:
    text = "- a\n" * MOST_VALUES
    assert parse_yaml(text) == (None, [f"holds more than {MOST_VALUES} keys and values"])
    assert parse_yaml(text.removeprefix("- a\n"))[1] == []
