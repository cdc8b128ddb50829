"""Hostile packs and policies are refused with a place, in time linear in the file."""

import contextlib
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from slowwave.cli.bench.rules import BEGINNING, BOMBS, FULL, RULE
from slowwave.errors import Incorrect, NotFound
from slowwave.rules import default_roots, load_pack
from slowwave.rules.cadence import load_cadences
from slowwave.rules.lifecycle import load_lifecycle
from slowwave.rules.predicates import load_predicates
from slowwave.rules.yaml_file import FILE_BYTES, MOST_PROBLEMS
from tests.unit.growth import AT_MOST, growth
from tests.unit.rules.rulepacks import CASE, NINE, manifest, rule, written

SOUND = {"many patterns", "long patterns", "names of predicates", "open predicates"}
"""Kinds of large content that a small file may contain."""


def read(folder: Path, text: str) -> None:
    """Read *text* as each kind of file; assert that only our errors are raised, with a place and a hint."""
    home = written(folder, text, text)
    policies = folder / "policies"
    (policies / "presets").mkdir(parents=True, exist_ok=True)
    (policies / "lifecycle.yaml").write_text(text)
    (policies / "cadences.yaml").write_text(text)
    (policies / "predicates.yaml").write_text(text)
    for work in (
        lambda: load_pack(home, now=NINE),
        lambda: load_lifecycle(folder / "packs"),
        lambda: load_predicates(folder / "packs"),
        lambda: load_cadences(policies / "cadences.yaml", ["everyday"]),
    ):
        try:
            work()
        except (Incorrect, NotFound) as error:
            if not error.hint:
                raise AssertionError(f"{error} has no hint") from error


@pytest.mark.accept
@pytest.mark.parametrize("bomb", BOMBS)
def test_loading_time_grows_linearly_with_the_file(bomb: str, tmp_path: Path) -> None:
    def load(text: str) -> None:
        with contextlib.suppress(Incorrect):
            load_pack(written(tmp_path, text, text))

    assert growth(load, BOMBS[bomb], 8_000, 30_000) <= AT_MOST


@pytest.mark.parametrize("bomb", BOMBS)
def test_the_test_files_have_nearly_the_largest_size(bomb: str) -> None:
    assert 0.5 * FULL < len(BOMBS[bomb](FULL).encode()) <= FULL == FILE_BYTES


@pytest.mark.parametrize("bomb", sorted(set(BOMBS) - SOUND))
def test_a_long_list_of_problems_is_cut_and_counted(bomb: str, tmp_path: Path) -> None:
    with pytest.raises(Incorrect) as caught:
        load_pack(written(tmp_path, BOMBS[bomb](60_000), [CASE]))
    problems = caught.value.problems
    assert len(problems) <= MOST_PROBLEMS + 1
    more = re.fullmatch(r"and (\d+) more", problems[-1])
    count = len(problems) - 1 + int(more[1]) if more else len(problems)
    assert f"has {count} problem" in str(caught.value)
    assert len(str(caught.value)) < 60_000


GUARD = {"id": [1], "says": "Nothing is learned here.", "when": "a"}
TABLE = {
    "an id that is a list": (json.dumps(manifest(guards=[GUARD], rules=[rule(despite=[[1]])])), None, "guards.0.id"),
    "a version of many digits": (f"{BEGINNING.replace('1', '0x' + 'f' * 6_000)}{RULE}", None, "line 2: a number"),
    "a version too large": (json.dumps(manifest(version=99_999_999_999)), None, "version: "),
    "a number of many digits in a wrong place": (f"{BEGINNING}{RULE}says: {'9' * 6_000}", None, "line 6: a number"),
    "sexagesimal": (f"{BEGINNING}{RULE}x: 1{':00' * 200}.0", None, "line 6: a number"),
    "a case after the end of time": (
        None, [CASE | {"believed_at": {"9999-12-31T23:00:00-10:00": []}}], "cases.0.believed_at"),
    "something told after the end of time": (
        None, [CASE | {"told": [{"text": "a", "at": "9999-12-31T23:00:00-10:00"}]}], "cases.0.told.0.at"),
    "an age of a million years": (json.dumps(manifest(cadence={"every": 1, "max_age": "P99999999D"})), None, "max_age"),
    "an interval of a million years": (json.dumps(manifest(cadence={"interval": "P999999999D"})), None, "interval"),
}  # fmt: skip


@pytest.mark.parametrize("odd", TABLE)
def test_a_malformed_pack_is_refused_with_a_place_and_a_hint(odd: str, tmp_path: Path) -> None:
    pack, cases, place = TABLE[odd]

    with pytest.raises(Incorrect) as caught:
        load_pack(written(tmp_path, pack or manifest(), cases or [CASE]), now=NINE)
    assert place in str(caught.value)
    assert caught.value.hint
    assert len(str(caught.value)) < 2_000


EVERYDAY = (default_roots()[0] / "everyday" / "pack.yaml").read_text()[:9_000]
SCRAPS = st.sampled_from([
    "&a", "*a", "!!int ", "0x" + "f" * 5_000, "9" * 5_000, "1" + ":00" * 150 + ".0", "[", "]", "{", "}", "- ", ": ",
    "null", ".nan", ".inf", "-1", "true", "2026-13-45", "9999-12-31T23:00:00-10:00", "P999999999D", "(?=a)", "\t",
    "'", '"', "\x07", "\ud7ff", "[[1]]", "{1: 2}", "? ", "<<: ", "it", "told", "when", "despite", "0 0 30 2 *", "\n",
])  # fmt: skip
SOURCES = st.sampled_from([
    json.dumps(manifest()), json.dumps([CASE | {"believed_at": {"2026-03-02T09:00:00": []}}]), EVERYDAY,
    BEGINNING + RULE,
    "everybody: agentx\ntenants: {acme: {tiers: aragora_hope}}\n", "everyday: {every: 5, cron: 0 3 * * *}",
    "likes: {opposites: [hates]}\nhates:\nhome: {aliases: [house], says: '{subject} lives in {object}'}",
])  # fmt: skip


@effort(max_examples=40)
@given(SOURCES, st.lists(st.tuples(st.integers(0, 9_000), st.integers(0, 12), SCRAPS), min_size=1, max_size=4))
def test_any_file_content_raises_only_our_errors(
    tmp_path_factory: pytest.TempPathFactory, text: str, changes: list[tuple[int, int, str]]
) -> None:
    for at, gone, scrap in changes:
        place = at % (len(text) + 1)
        text = text[:place] + scrap + text[place + gone :]
    read(tmp_path_factory.mktemp("odd"), text)
