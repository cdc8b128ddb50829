"""Loads a model pack from its folder, or rejects the pack with an error that lists every problem."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal

from slowwave.core.predicates import Predicates
from slowwave.errors import NotFound
from slowwave.rules.loading import CASES, MANIFEST, CasesPart, digest_of, manifest_problems, pack_refusal, read_part
from slowwave.rules.model_packs.pack import ReadCase, ReaderPack
from slowwave.rules.model_packs.verified_claims import EVENTS
from slowwave.rules.pack_schema import SharedPart
from slowwave.rules.predicates import Declared, load_predicates, merged
from slowwave.rules.yaml_file import read_text

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


class ReaderPart(SharedPart):
    """The complete `pack.yaml` of a model pack."""

    engine: Literal["model"]


def load_reader(
    folder: Path, model: str = "none", *, now: datetime | None = None, shared: Sequence[Declared] | None = None
) -> ReaderPack:
    """Return the model pack in *folder*, for *model*: a provider and a name with its settings.

    Raises `Incorrect` with all problems of all its files, and `NotFound` if there is no such folder.
    """
    if not folder.is_dir():
        raise NotFound(f"there is no pack at {folder}", hint=f"name a folder that holds {MANIFEST} and {PROMPT}")
    manifest, problems = read_part(folder / MANIFEST, ReaderPart)
    cases, more = read_part(folder / CASES, CasesPart[ReadCase])
    prompt, wrong = _prompt(folder / PROMPT)
    shared = load_predicates() if shared is None else shared
    problems = [*problems, *more, *wrong, *manifest_problems(folder, manifest, shared)]
    if problems or manifest is None or cases is None:
        raise pack_refusal(folder, problems, kind="model pack")
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
