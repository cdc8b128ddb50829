"""`profile.yaml` says which facts belong to each part of a user's profile.

An operator's file replaces the shipped file.
"""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ConfigDict, Field, RootModel

from slowwave.core import profile
from slowwave.core.profile import Takes
from slowwave.errors import Incorrect
from slowwave.rules.folders import find_policy
from slowwave.rules.yaml_file import Part, read_model, refusal

PROFILE = "profile.yaml"


class _Takes(Part):
    """The facts of one part."""

    model_config = ConfigDict(strict=True)

    part: profile.Part
    says: str = Field(min_length=1, max_length=200)
    predicates: list[str] = Field(min_length=1, max_length=200)
    words: list[str] = Field(default=[], max_length=200)


class _File(RootModel[list[_Takes]]):
    """Parts with their facts, in order of precedence."""


def load_profile(rules: Path | None = None) -> Sequence[Takes]:
    """Return the rules for the parts of a profile. Raises `Incorrect` with all problems of the file."""
    path = find_policy(PROFILE, rules)
    if path is None:
        raise Incorrect(f"there is no {PROFILE}", hint="it ships with Slowwave, in rules/policies")
    file, problems = read_model(path, _File)
    if file is None:
        raise refusal(f"the policy {path.name}", problems, hint=f"fix {path}")
    return [Takes(one.part, one.says, one.predicates, frozenset(map(str.lower, one.words))) for one in file.root]
