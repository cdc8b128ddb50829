"""An operator's policies for packs. `cadences.yaml` sets when a pack is due, in place of the pack's own cadence."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from pydantic import RootModel

from slowwave.rules.cadence import Cadence, PackCadence
from slowwave.rules.yaml_file import at, first, read_model, refusal
from slowwave.validation_messages import nearest

CADENCES = "cadences.yaml"
_PACKAGE = Path(__file__).resolve().parent.parent


class _Cadences(RootModel[dict[str, PackCadence]]):
    """A cadence for each named pack."""


def policy_folders(rules: Path | None = None) -> list[Path]:
    """Return the folders that may have policies: beside the folder *rules*, in the checkout, and in the wheel."""
    folders = [_PACKAGE.parent.parent / "rules" / "policies", _PACKAGE / "content" / "policies"]
    return [rules.resolve().parent / "policies", *folders] if rules is not None else folders


def find_policy(name: str, rules: Path | None = None) -> Path | None:
    """Return the policy file *name* from the first folder that has such a file; None if no folder has it."""
    return next((folder / name for folder in policy_folders(rules) if (folder / name).is_file()), None)


def load_cadences(path: Path | None, packs: Collection[str]) -> Mapping[str, Cadence]:
    """Return the cadences that override the cadences of *packs*, by pack. Without a file, the result is empty.

    Raises `Incorrect` with all problems of the file.
    """
    if path is None:
        return {}
    unknown: list[str] = []

    def without_unknown(raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        unknown.extend(name for name in raw if name not in packs)
        return {name: cadence for name, cadence in raw.items() if name in packs}

    file, problems = read_model(path, _Cadences, prepare=without_unknown)
    problems += first(f"{at(path.name, [name])}: there is no such rule pack{nearest(name, packs)}" for name in unknown)
    if file is None or problems:
        raise refusal(f"the policy {path.name}", problems, hint=f"fix {path}")
    return file.root
