"""Tables of test rows: each test file may have a YAML file of the same name beside it, with rows by test."""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from string import Template
from typing import Any

import pytest
import yaml


def table(test_file: str, **values: object) -> Any:
    """Return the content of a test file's YAML file: that of `test_phrases.py` is `phrases.yaml`.

    With *values*, `$name` in the file stands for the value of that name.
    """
    path = Path(test_file)
    text = path.with_name(f"{path.stem.removeprefix('test_')}.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(Template(text).substitute(values) if values else text)


def over(rows: Iterable[Any], *, size: int = 50) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that calls a test function with each row; one test checks *size* rows and lists all failures.

    If the function takes more than one argument, a row is a sequence of its arguments. A separate test for each of
    thousands of rows would take longer to collect than to run.
    """
    every = [*rows]
    assert every, "no rows"
    parts = {f"rows from {at + 1}": every[at : at + size] for at in range(0, len(every), size)}

    def decorated(check: Callable[..., None]) -> Callable[..., None]:
        several = len(inspect.signature(check).parameters) > 1

        def test(part: Sequence[Any]) -> None:
            problems = []
            for row in part:
                try:
                    check(*row) if several else check(row)
                except (AssertionError, pytest.fail.Exception) as problem:
                    problems.append(f"{row!r}: {problem}")
                except Exception as error:
                    error.add_note(f"row: {row!r}")
                    raise
            assert not problems, "\n\n".join(problems)

        functools.update_wrapper(test, check)
        del vars(test)["__wrapped__"]  # otherwise pytest reads the parameters of *check*
        parametrized: Callable[..., None] = pytest.mark.parametrize("part", parts.values(), ids=list(parts))(test)
        return parametrized

    return decorated
