"""Loads a model pack from its folder, or rejects the pack with an error that lists every problem."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from slowwave.core.predicates import Predicates
from slowwave.errors import NotFound
from slowwave.rules.cadence import PackCadence
from slowwave.rules.loading import CASES, MANIFEST, digest_of, read_part
from slowwave.rules.model_packs.pack import ReadCase, ReaderPack
from slowwave.rules.model_packs.verified_claims import EVENTS
from slowwave.rules.pack_schema import Languages, Prose, Slug
from slowwave.rules.predicates import Declared, PredicateParts, disagreements, load_predicates, merged
from slowwave.rules.yaml_file import first, read_text, refusal, renamed_hint

PROMPT = "prompt.md"
PLACE = "{predicates}"
"""The placeholder for the list of predicates in a prompt."""
LONGEST_PROMPT = 16_000
NIGHTLY = frozenset({"last_outcome", "is_done_by", "routine", "recurring_preference", "summary", "overview", *EVENTS})
"""Predicates that only jobs use. A model does not see these predicates."""
BY_HAND = frozenset({
    "also_known_as", "type", "description", "related_to", "part_of", "located_in", "knows", "created_by", "references",
})  # fmt: skip
"""Predicates that agents set by hand in a graph. They are left out, because each listed predicate costs tokens."""


class ReaderPart(BaseModel):
    """The complete `pack.yaml` of a model pack."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    pack: Slug
    version: Annotated[int, Field(ge=1, le=2**31 - 1, strict=True)]
    engine: Literal["model"]
    says: Prose | None = None
    languages: Languages = ()
    cadence: PackCadence
    predicates: PredicateParts = Field(default_factory=dict)


class _CasesPart(BaseModel):
    model_config = ConfigDict(extra="forbid")

    cases: list[ReadCase] = Field(min_length=1)


def load_reader(
    folder: Path, model: str = "none", *, now: datetime | None = None, shared: Sequence[Declared] | None = None
) -> ReaderPack:
    """Return the model pack in *folder*, for *model*: a provider and a name with its settings.

    Raises `Incorrect` with all problems of all its files, and `NotFound` if there is no such folder.
    """
    if not folder.is_dir():
        raise NotFound(f"there is no pack at {folder}", hint=f"name a folder that holds {MANIFEST} and {PROMPT}")
    manifest, problems = read_part(folder / MANIFEST, ReaderPart)
    cases, more = read_part(folder / CASES, _CasesPart)
    prompt, wrong = _prompt(folder / PROMPT)
    problems = [*problems, *more, *wrong]
    if manifest is not None and manifest.pack != folder.name:
        problems.append(f"{MANIFEST}, pack: expected {folder.name!r}, the name of its folder, got {manifest.pack!r}")
    shared = load_predicates() if shared is None else shared
    if manifest is not None:
        problems += first(disagreements([*shared, Declared(MANIFEST, manifest.predicates)]))
    if problems or manifest is None or cases is None:
        hint = (
            f"{renamed_hint(problems)}fix the files under {folder.name}/, then run `slowwave rules check {folder.name}`"
        )
        raise refusal(f"model pack {folder.name!r}", problems, hint=hint)
    declared = (*shared, Declared(f"{folder.name}/{MANIFEST}", manifest.predicates))
    predicates = merged(declared)
    return ReaderPack(
        pack=manifest.pack,
        version=manifest.version,
        folder=folder,
        cadence=manifest.cadence,
        declared=declared,
        predicates=predicates,
        cases=tuple(cases.cases),
        prompt=prompt.replace(PLACE, listed(predicates)),
        digest=digest_of(folder, (MANIFEST, CASES, PROMPT)),
        next_runs=manifest.cadence.next_runs(now) if now else (),
        model=model,
        languages=manifest.languages,
    )


def listed(predicates: Predicates) -> str:
    """Return the names of the predicates that a model sees."""
    return " ".join(one.name for one in predicates.registered if one.name not in NIGHTLY | BY_HAND)


def _prompt(path: Path) -> tuple[str, list[str]]:
    text, problems = read_text(path)
    if problems:
        return "", [f"{PROMPT}: {problem}" for problem in problems]
    problems = [] if PLACE in text else [f"{PROMPT}: expected {PLACE} where the predicates are listed"]
    if len(text) > LONGEST_PROMPT:
        problems.append(f"{PROMPT}: has {len(text)} characters, at most {LONGEST_PROMPT} are allowed")
    return text.strip(), problems
