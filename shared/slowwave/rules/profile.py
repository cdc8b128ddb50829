"""`profile.yaml` says which facts belong to each part of a user's profile.

An operator's file replaces the shipped file.
"""

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from slowwave.core.profile import Part, Takes
from slowwave.errors import Incorrect
from slowwave.rules.policies import find_policy
from slowwave.rules.yaml_file import lines_of, read_yaml, refusal, within

PROFILE = "profile.yaml"


class _Takes(BaseModel):
    """The facts of one part."""

    model_config = ConfigDict(extra="forbid", strict=True)

    part: Part
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
    raw, problems = read_yaml(path)
    problems = within(path.name, problems)
    found: list[_Takes] = []
    if not problems:
        try:
            found = _File.model_validate(raw).root
        except ValidationError as error:
            problems = lines_of(path.name, error, _File, raw)
    if problems:
        raise refusal(f"the policy {path.name}", problems, hint=f"fix {path}")
    return [Takes(one.part, one.says, one.predicates, frozenset(map(str.lower, one.words))) for one in found]
