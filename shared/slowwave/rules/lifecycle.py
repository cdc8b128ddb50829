"""The policy for memories: `lifecycle.yaml` names a preset per axis, for all tenants and for single tenants."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, model_validator

from slowwave.core.policy import Merging, Policies, Policy, Thresholds
from slowwave.domain.job_table import SWEEP
from slowwave.errors import Fault, Incorrect
from slowwave.rules.cadence import Cadence
from slowwave.rules.folders import find_policy, policy_folders
from slowwave.rules.presets import GraphPart, PresetPart
from slowwave.rules.yaml_file import MOST_PROBLEMS, Part, clipped, read_model, refusal, renamed_hint
from slowwave.validation_messages import nearest

LIFECYCLE = "lifecycle.yaml"
DEFAULT = "default"
AXES = ("tiers", "decay", "triggers", "scoring", "promotion", "retention", "graph")

_FORMER = {"ladder": "tiers", "rungs": "levels", "worth": "factor"}
"""Former keys of these files. A former key is read like the present key; so is `half_life: rung`."""
_LOG = logging.getLogger(__name__)

_Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
_Read = TypeVar("_Read", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The policies of all tenants and of single tenants, and the cadence of each job by name.

    *extraction_model* is the model that model packs use if it is available and the settings name no model.
    """

    policies: Policies
    triggers: Mapping[str, Cadence]
    extraction_model: str | None = None


class _Own(Part):
    """The presets of the axes that a tenant may choose. A single name applies to all these axes."""

    tiers: _Name | None = None
    decay: _Name | None = None
    scoring: _Name | None = None
    promotion: _Name | None = None
    retention: _Name | None = None
    graph: _Name | None = None

    @model_validator(mode="before")
    @classmethod
    def _one_for_all(cls, given: object) -> object:
        return dict.fromkeys(cls.model_fields, given) if isinstance(given, str) else given

    def names(self) -> dict[str, str]:
        """Return the chosen presets by axis."""
        return self.model_dump(exclude_none=True)


class _Choice(_Own):
    """The default choice of presets, with the schedule of the installation's jobs and the model."""

    triggers: _Name | None = None
    extraction: _Name | None = None


class _File(Part):
    everybody: _Choice = _Choice()
    tenants: dict[str, _Own] = Field(default_factory=dict)


def load_lifecycle(rules: Path | None = None) -> Lifecycle:
    """Return the lifecycle in the first `lifecycle.yaml` in `policy_folders(rules)`.

    Raises `Incorrect` with all problems of `lifecycle.yaml` and its presets.
    """
    path = find_policy(LIFECYCLE, rules)
    if path is None:
        raise Incorrect(f"there is no {LIFECYCLE}", hint="it ships with Slowwave, in rules/policies")
    reading = _Reading(path, rules)
    file = reading.file(path, path.name, _File) or _File()
    everybody = file.everybody.names()
    reading.presets(everybody, f"{path.name}, everybody.")
    for tenant, own in file.tenants.items():
        reading.presets(own.names(), f"{path.name}, tenants.{tenant}.")
    reading.raise_problems()

    policies = Policies(
        reading.policy(everybody, f"{path.name}, everybody"),
        {
            tenant: reading.policy(everybody | own.names(), f"{path.name}, tenants.{tenant}")
            for tenant, own in file.tenants.items()
        },
    )
    reading.raise_problems()
    return Lifecycle(policies, _paced(reading.triggers(everybody), policies), reading.model(everybody))


def load_preset(name: str, rules: Path | None = None) -> Lifecycle:
    """Return the lifecycle with one preset for every axis. Raises `Incorrect` with every problem."""
    path = find_policy(f"presets/{DEFAULT}.yaml", rules)
    if path is None:
        raise Incorrect("there are no presets", hint="they ship with Slowwave, in rules/policies/presets")
    reading, names = _Reading(path, rules), dict.fromkeys(AXES, name)
    reading.presets({"": name}, "asked for")
    reading.raise_problems()
    policy = reading.policy(names, "the preset")
    reading.raise_problems()
    policies = Policies(policy)
    return Lifecycle(policies, _paced(reading.triggers(names), policies), reading.model({"extraction": name}))


def choose_lifecycle(preset: str | None, rules: Path | None = None) -> Lifecycle:
    """Return the lifecycle of *preset*; if *preset* is None, that of `lifecycle.yaml`. Raises `Incorrect`."""
    return load_lifecycle(rules) if preset is None else load_preset(preset, rules)


def policy_files(rules: Path | None = None) -> list[Path]:
    """Return every file of the lifecycle: `lifecycle.yaml` and all presets, whether they are used or not."""
    return [
        file
        for folder in policy_folders(rules)
        for file in (folder / LIFECYCLE, *sorted(folder.glob("presets/*.yaml")))
        if file.is_file()
    ]


class _Reading:
    """One reading of the lifecycle. It reads each preset once and collects all problems."""

    def __init__(self, path: Path, rules: Path | None) -> None:
        self._path, self._rules = path, rules
        self._presets: dict[str, PresetPart | None] = {}
        self._problems: list[str] = []

    def file(self, path: Path, name: str, model: type[_Read]) -> _Read | None:
        """Return the content of a file; return None if the file is invalid, and record the problem."""
        file, problems = read_model(path, model, name=name, prepare=lambda raw: _in_present_words(raw, name))
        self._problems += problems
        return file

    def presets(self, names: Mapping[str, str], place: str) -> None:
        """Read the presets that are named at *place*, and the default preset, which provides omitted axes."""
        for axis, name in [*names.items(), ("", DEFAULT)]:
            path = find_policy(f"presets/{name}.yaml", self._rules)
            if path is None:
                asked = nearest(name, self._known) if len(self._problems) < MOST_PROBLEMS else ""
                self._problems.append(f"{place}{axis}: there is no preset {clipped(name, 60)}{asked}")
            elif name not in self._presets:
                self._presets[name] = found = self.file(path, f"presets/{path.name}", PresetPart)
                if found is not None and name == DEFAULT:
                    self._presets[name] = found = found.model_copy(update={"graph": found.graph or GraphPart()})
                    missing = [each for each in AXES if getattr(found, each) is None]
                    self._problems += [f"presets/{path.name}, {each}: is missing" for each in missing]

    @cached_property
    def _known(self) -> list[str]:
        path = find_policy(f"presets/{DEFAULT}.yaml", self._rules)
        return sorted(each.stem for each in path.parent.glob("*.yaml")) if path else []

    def axis(self, axis: str, names: Mapping[str, str]) -> tuple[str, Any]:
        """Return the name of the preset that provides an axis, and the content of the axis in this preset."""
        for name in (names.get(axis, DEFAULT), DEFAULT):
            if (value := getattr(self._presets[name], axis)) is not None:
                return name, value
        raise Fault(f"the preset {DEFAULT} was read without {axis}")

    def policy(self, names: Mapping[str, str], place: str) -> Policy:
        """Return the policy composed of the presets *names*, which were chosen at *place*."""
        chosen = {axis: self.axis(axis, names) for axis in AXES}
        tiers, decay = chosen["tiers"][1].value(), chosen["decay"][1]
        if decay.by_level and not tiers.half_lives:
            self._problems.append(
                f"{place}: decay {chosen['decay'][0]} leaves the half-life to the tier, "
                f"but no tier of {chosen['tiers'][0]} has one"
            )
        return Policy(
            names={axis: name for axis, (name, _) in chosen.items()},
            tiers=tiers,
            decay=decay.value(tiers),
            scoring=chosen["scoring"][1].value(),
            promotion=Thresholds(**chosen["promotion"][1].model_dump()),
            retention=chosen["retention"][1].value(),
            graph=Merging(**chosen["graph"][1].model_dump()),
        )

    def triggers(self, names: Mapping[str, str]) -> Mapping[str, Cadence]:
        """Return the cadence of each job. A job that the chosen preset does not name keeps its default."""
        return {**self.axis("triggers", {})[1], **self.axis("triggers", names)[1]}

    def model(self, names: Mapping[str, str]) -> str | None:
        """Return the model of the preset chosen for extraction; None if the preset names no model."""
        chosen = self._presets.get(names.get("extraction", DEFAULT))
        return chosen.extraction.model if chosen and chosen.extraction else None

    def raise_problems(self) -> None:
        """Raise an error with all problems that were found, if there are any."""
        if self._problems:
            hint = f"{renamed_hint(self._problems)}fix {self._path.parent}"
            raise refusal(f"the policy {self._path.name}", self._problems, hint=hint)


def _in_present_words(raw: Any, name: str) -> Any:
    """Return the content of the file *name* with outdated field names and values replaced; log a warning for each."""
    if not isinstance(raw, dict):
        return raw
    raw = _renamed(raw, name)
    for key in ("tiers", "everybody"):
        if key in raw:
            raw[key] = _renamed(raw[key], f"{name}, {key}")
    if isinstance(tenants := raw.get("tenants"), dict):
        raw["tenants"] = {tenant: _renamed(own, f"{name}, tenants.{tenant}") for tenant, own in tenants.items()}
    if isinstance(parts := raw.get("decay"), list):
        raw["decay"] = [_renamed(part, f"{name}, decay.{number}") for number, part in enumerate(parts)]
    scoring = raw.get("scoring")
    salience = scoring.get("salience") if isinstance(scoring, dict) else None
    if isinstance(salience, dict) and isinstance(rules := salience.get("rules"), list):
        place = f"{name}, scoring.salience.rules"
        rules = [_renamed(rule, f"{place}.{number}") for number, rule in enumerate(rules)]
        raw["scoring"] = {**scoring, "salience": {**salience, "rules": rules}}
    return raw


def _renamed(part: Any, place: str) -> Any:
    if not isinstance(part, dict):
        return part
    former = {key: _FORMER[key] for key in part if key in _FORMER and _FORMER[key] not in part}
    present = {former.get(key, key): value for key, value in part.items()}
    if present.get("half_life") == "rung":
        present["half_life"] = "tier"
        former["half_life: rung"] = "half_life: tier"
    for word, now in former.items():
        _LOG.warning("%s: write `%s` for `%s`, the former word", place, now, word)
    return present


def _paced(triggers: Mapping[str, Cadence], policies: Policies) -> Mapping[str, Cadence]:
    """Return *triggers*, with an interval of the sweep that is short enough for the fastest tiers of all policies."""
    sweep = triggers[SWEEP]
    in_force = (policies.everybody, *policies.tenants.values())
    paces = [length for length in (sweep.interval, *(policy.tiers.pace for policy in in_force)) if length is not None]
    return {**triggers, SWEEP: sweep.model_copy(update={"interval": min(paces, default=None)})}
