"""Tables of test rows: each test file may have a YAML file of the same name beside it, with rows by test."""

from pathlib import Path
from typing import Any

import yaml


def table(test_file: str) -> Any:
    """Return the content of a test file's YAML file: that of `test_phrases.py` is `phrases.yaml`."""
    path = Path(test_file)
    return yaml.safe_load(path.with_name(f"{path.stem.removeprefix('test_')}.yaml").read_text(encoding="utf-8"))
