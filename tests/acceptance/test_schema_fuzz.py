"""The published schema of ingest tells the truth: what it accepts is stored, and what it refuses becomes a letter."""

import json
import unicodedata
import uuid
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from slowwave import wiring
from slowwave.domain.limits import name_problems
from slowwave.memory import ingestion
from slowwave.settings import Settings

pytestmark = pytest.mark.accept
SCHEMA = json.loads((Path(__file__).parents[2] / "ops" / "ingest.schema.json").read_text())
ITEM: dict[str, Any] = SCHEMA["properties"]["episodes"]["items"]
EPISODE: dict[str, Any] = ITEM["properties"]
CHOICES: list[dict[str, Any]] = ITEM["anyOf"]
"""The alternatives for the content of an episode: a text or tool calls."""
REQUIRED = [name for choice in CHOICES for name in choice["required"]]
TEXT = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=40).filter(lambda text: text.strip() != "")
"""Strings that the schema allows, without the control characters that are forbidden in keys and sessions."""
NAMES = {"key", "session", "speaker"}
NAME = TEXT.map(lambda text: unicodedata.normalize("NFC", text.strip())).filter(lambda name: not name_problems(name))
"""The schema cannot say that two names which look the same must be the same."""
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
FIRST, LAST = datetime.fromisoformat("1900-01-01"), datetime.fromisoformat("2025-01-01")
"""The schema cannot say that nothing happens in the future."""
TIMES = st.datetimes(FIRST, LAST, timezones=st.timezones()).map(lambda at: at.isoformat())
KINDS = {"string", "integer", "number", "boolean", "object", "array", "null"}


def accepted(field: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that the schema of *field* accepts. It cannot say that what an object repeats must be the same."""
    if "enum" in field:
        return st.sampled_from(field["enum"])
    if "anyOf" in field:
        return st.one_of(*map(accepted, field["anyOf"]))
    if field.get("format") == "date-time":
        return TIMES
    made: dict[str, st.SearchStrategy[Any]] = {
        "string": TEXT,
        "null": st.none(),
        "object": st.dictionaries(TEXT.filter(lambda name: name not in EPISODE), JSON, max_size=4),
        "array": st.lists(
            accepted(field["items"]) if "items" in field else JSON, min_size=field.get("minItems", 0), max_size=3
        ),
        "boolean": st.booleans(),
        "integer": st.integers(0, 1000),
        "number": st.floats(0, 1),
    }
    return made[field["type"]]


def no_object(value: object) -> bool:
    """Return whether *value* is something else than an object of JSON."""
    return not isinstance(value, dict)


def kinds(field: dict[str, Any]) -> set[str]:
    """Return the types of JSON that the schema of *field* takes."""
    return set().union(*map(kinds, field["anyOf"])) if "anyOf" in field else {field["type"]}


def chosen(choice: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return episodes that the schema accepts because they have what *choice* requires."""
    fields = dict(EPISODE)
    for name in choice["required"]:
        (fields[name],) = (
            {**choice["properties"][name], **field}
            for field in EPISODE[name]["anyOf"]
            if field["type"] == choice["properties"][name]["type"]
        )
    values = {name: NAME if name in NAMES else accepted(field) for name, field in fields.items()}
    needed = {name: values.pop(name) for name in choice["required"]}
    return st.fixed_dictionaries(needed, optional={name: value for name, value in values.items() if name != "key"})


GOOD: st.SearchStrategy[dict[str, Any]] = st.one_of(*map(chosen, CHOICES))


def said(episode: dict[str, Any]) -> str:
    """Return the content that is stored of *episode*: its text, or the calls."""
    return str(episode.get("content") or "") or json.dumps({"tool_calls": episode["tool_calls"]}, ensure_ascii=False)


@st.composite
def bad(draw: st.DrawFn) -> dict[str, Any]:
    """An episode with one thing the schema refuses: a field of another type, one that is missing, or one too many."""
    episode = draw(GOOD)
    how = draw(st.sampled_from(["missing", "null", "unknown", "type", "item", "enum"]))
    if how == "missing":
        for name in REQUIRED:
            episode.pop(name, None)
    elif how == "null":
        episode |= dict.fromkeys(REQUIRED)
    elif how == "item":
        episode["tool_calls"] = [*draw(accepted(EPISODE["tool_calls"]["anyOf"][0])), draw(JSON.filter(no_object))]
    elif how == "unknown":
        episode[draw(st.from_regex("[a-z]{3,9}_x", fullmatch=True))] = draw(JSON)
    elif how == "enum":
        episode[draw(st.sampled_from([name for name, field in EPISODE.items() if "enum" in field]))] = "nobody"
    else:
        name = draw(st.sampled_from(sorted(EPISODE)))
        values = {
            "object": {"a": 1},
            "array": [1],
            "boolean": True,
            "integer": 7,
            "number": 0.5,
            "string": "x",
            "null": None,
        }
        wrong = sorted(KINDS - kinds(EPISODE[name]) - ({"integer"} if "number" in kinds(EPISODE[name]) else set()))
        episode[name] = values[draw(st.sampled_from(wrong))]
    return episode


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Settings under which everything is stored word for word: a number may pass for that of a card."""
    return settings.model_copy(update={"secrets": "keep"})


def ingested(parts: wiring.Parts, superuser: psycopg.Connection, episodes: list[Any]) -> tuple[list[str], int]:
    """Send *episodes* as one message of a new user; return the contents stored, in order, and how many letters came."""
    before = count(superuser)
    user = f"u{uuid.uuid4().hex}"
    ingestion.ingest(parts, {"user": user, "episodes": episodes}, id_=user)
    scopes = "SELECT scope FROM scope_heads WHERE user_id = %s"
    stored = superuser.execute(f"SELECT content FROM episodes WHERE scope IN ({scopes}) ORDER BY position", (user,))
    return [content for (content,) in stored.fetchall()], count(superuser) - before


def count(superuser: psycopg.Connection) -> int:
    """Return how many dead letters there are."""
    found = superuser.execute("SELECT count(*) FROM dead_letters").fetchone()
    assert found is not None
    return int(found[0])


EACH = examples(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@EACH
@given(episodes=st.lists(GOOD, min_size=1, max_size=5))
def test_an_episode_that_the_schema_accepts_is_stored(
    episodes: list[dict[str, Any]], parts: wiring.Parts, superuser: psycopg.Connection
) -> None:
    stored, letters = ingested(parts, superuser, episodes)

    assert (stored, letters) == ([said(episode) for episode in episodes], 0)


@EACH
@given(wrong=bad(), good=GOOD)
def test_an_episode_that_the_schema_refuses_becomes_a_dead_letter_and_its_neighbour_is_stored(
    wrong: dict[str, Any], good: dict[str, Any], parts: wiring.Parts, superuser: psycopg.Connection
) -> None:
    stored, letters = ingested(parts, superuser, [wrong, good])

    assert (stored, letters) == ([said(good)], 1)
