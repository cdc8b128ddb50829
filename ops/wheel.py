"""Packs the statements of the wheel into one file: as files of their own they take four times their size on a disk."""

import json
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

STORE = "shared/slowwave/store"


class StatementsInOneFile(BuildHookInterface):
    """Puts `statements.json` beside `statements.py`, which reads it where the files are not."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file to a wheel; an editable installation has the statements themselves."""
        if version == "editable":
            return
        store = Path(self.root) / STORE
        texts = {
            str(path.relative_to(store).with_suffix("").as_posix()): path.read_text(encoding="utf-8")
            for path in sorted(store.rglob("*.sql"))
            if "migrations" not in path.parts
        }
        self._folder = tempfile.TemporaryDirectory()
        packed = Path(self._folder.name) / "statements.json"
        packed.write_text(json.dumps(texts, ensure_ascii=False), encoding="utf-8")
        build_data["force_include"][str(packed)] = "slowwave/store/statements.json"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the file once it is in the wheel."""
        if version != "editable":
            self._folder.cleanup()
