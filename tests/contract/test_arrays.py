"""Lists reach Postgres as arrays, whatever stands in their values."""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slowwave import wiring
from slowwave.errors import SlowwaveError

ODD = ["", " ", "NULL", "null", "{}", '"', "\\", '\\"', "a,b", "'", "\t\n", "\u00a0\u2003\u3000", "naïve 💤", None]
TEXTS = st.lists(
    st.none() | st.text(st.characters(codec="utf-8", exclude_characters="\x00") | st.sampled_from('"\\\\{},'))
)


def sent(parts: wiring.Parts, values: Sequence[object], kind: str) -> list[object]:
    with parts.database.dispatch() as connection:
        row = connection.exec_driver_sql(f"SELECT %(values)s::{kind}[]", {"values": list(values)}).scalar_one()
    assert isinstance(row, list)
    return row


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (ODD, "text"),
        (ODD[:-1], "text"),
        ([], "text"),
        ([uuid.UUID(int=7), uuid.UUID(int=2**128 - 1)], "uuid"),
        ([0, -1, 2**40], "bigint"),
        ([None, None], "uuid"),
        ([uuid.UUID(int=7), None], "uuid"),
        ([b"\\x00", b'"{},', b"\x00\xff", None], "bytea"),
        ([0, -1, 2**40, None], "bigint"),
        ([0.5, float("inf"), -1e-300], "float8"),
        ([True, False, None], "boolean"),
        ([datetime(2026, 1, 5, 8, 30, 0, 1, tzinfo=UTC), None], "timestamptz"),
        ([["a", '"b"'], ["{c}", "d"]], "text"),
    ],
)
def test_arrays_arrive_unchanged(parts: wiring.Parts, values: list[object], kind: str) -> None:
    assert sent(parts, values, kind) == values


def test_a_nul_character_is_refused_anywhere(parts: wiring.Parts) -> None:
    for texts in (["a\x00", "b"], ["\x00"], ["a", "b\x00c"]):
        with pytest.raises(SlowwaveError, match="NUL"):
            sent(parts, texts, "text")


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TEXTS)
def test_any_text_arrives_unchanged(parts: wiring.Parts, texts: list[str | None]) -> None:
    assert sent(parts, texts, "text") == texts
