"""Packs for tests: a small valid one, with changes, written to a folder."""

import json
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from slowwave.domain.episode import StoredEpisode
from slowwave.errors import Incorrect
from slowwave.rules import Pack, default_roots, load_pack

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)
EVERYDAY = load_pack(default_roots()[0] / "everyday")
"""The shipped pack, loaded once for all tests."""

MOVED: dict[str, Any] = {
    "id": "moved-home",
    "says": "Moving somewhere means living there.",
    "when": r"\bI moved to (?P<object>[\w ]+)",
    "claim": {"predicate": "lives_in"},
}
CASE: dict[str, Any] = {"it": "moves", "episodes": ["I moved to Oslo"], "believe": ["user lives_in Oslo"]}


def manifest(**changes: Any) -> dict[str, Any]:
    """Return a valid manifest with *changes*."""
    return {
        "pack": "odd", "version": 1, "cadence": {"every": 100}, "rules": [MOVED],
        **changes,
    }  # fmt: skip


def rule(**changes: Any) -> dict[str, Any]:
    """Return a valid rule with *changes*."""
    return {**MOVED, **changes}


def written(folder: Path, pack: Mapping[str, Any] | str, cases: Any = (CASE,), *, name: str = "odd") -> Path:
    """Write a pack to the folder *name*, and return the folder."""
    home = folder / name
    home.mkdir(exist_ok=True)
    text = pack if isinstance(pack, str) else json.dumps(dict(pack))
    (home / "pack.yaml").write_text(text, encoding="utf-8")
    if cases is not None:
        (home / "cases.yaml").write_text(cases if isinstance(cases, str) else json.dumps(list(cases)), encoding="utf-8")
    return home


def packed(folder: Path, **changes: Any) -> Pack:
    """Return a loaded pack."""
    return load_pack(written(folder, manifest(**changes)))


def problems(folder: Path) -> list[str]:
    """Return the problems for which the pack in *folder* is refused."""
    with pytest.raises(Incorrect) as caught:
        load_pack(folder)
    return list(caught.value.problems)


def problems_of(folder: Path, **changes: Any) -> list[str]:
    """Return the problems of the valid pack with *changes*."""
    return problems(written(folder, manifest(**changes)))


def episode(content: str, *, number: int = 1, **changes: Any) -> StoredEpisode:
    """Return an episode of the user, with *changes*."""
    fields: dict[str, Any] = {
        "id": uuid.uuid5(uuid.NAMESPACE_OID, str(number)), "key": f"e{number}", "position": number, "received": NINE,
        "occurred": NINE, "session": "s1", "role": "user", "kind": "message", "content": content, "metadata": {},
    }  # fmt: skip
    return StoredEpisode(**{**fields, **changes})
