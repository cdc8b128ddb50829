"""Tables of test rows: each test file may have a YAML file of the same name beside it, with rows by test."""

from pathlib import Path
from string import Template
from typing import Any

import yaml


def table(test_file: str, **values: object) -> Any:
    """Return the content of a test file's YAML file: that of `test_phrases.py` is `phrases.yaml`.

    With *values*, `$name` in the file stands for the value of that name.
    """
    path = Path(test_file)
    text = path.with_name(f"{path.stem.removeprefix('test_')}.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(Template(text).substitute(values) if values else text)
