"""A pack loads, or is refused with all its problems; a hostile one in time linear in its file."""

import contextlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from slowwave.cli import cli
from slowwave.cli.bench.rules import BEGINNING, BOMBS, FULL, RULE
from slowwave.errors import Incorrect, NotFound
from slowwave.rules import default_roots, find_pack_folders, load_pack
from slowwave.rules.cadence import load_cadences
from slowwave.rules.engines.rules_engine import PatternReader
from slowwave.rules.folders import find_folders_in_force, find_folders_to_add, find_reader_folders
from slowwave.rules.lifecycle import load_lifecycle
from slowwave.rules.loading import MANIFEST
from slowwave.rules.model_packs.loading import load_reader
from slowwave.rules.predicates import Declared, PredicatePart, load_predicates
from slowwave.rules.yaml_file import FILE_BYTES, MOST_PROBLEMS
from slowwave.wiring.packs import reading_beside
from tests.unit.growth import AT_MOST, growth
from tests.unit.rules.rulepacks import CASE, NINE, manifest, packed, problems, problems_of, rule, written
from tests.unit.tables import over, table

ROWS = table(__file__)


def test_a_pack_has_name_and_version_and_engine_and_digest(tmp_path: Path) -> None:
    pack = load_pack(written(tmp_path, manifest()), now=NINE)
    assert (pack.pack, pack.version) == ("odd", 1)
    assert pack.predicates.of("lives_in").single_valued
    assert pack.engine == "rules"
    assert len(pack.digest) == 64


def test_a_pattern_that_many_rules_have_is_counted_once(tmp_path: Path) -> None:
    words = {"long": "|".join(f"word{number}" for number in range(700))}
    same = {"when": "(?P<object>{{long}})", "unless": "{{long}}", "refuse": "{{long}}", "vague": "{{long}}"}
    rules = [rule(id=f"moved-{number}", **same) for number in range(400)]
    others = [one | {"when": f"{one['id']} (?P<object>{{{{long}}}})"} for one in rules]

    assert packed(tmp_path, words=words, rules=rules).pack == "odd"
    assert problems_of(tmp_path, words=words, rules=others)


def test_the_digest_differs_when_a_byte_differs(tmp_path: Path) -> None:
    first = load_pack(written(tmp_path, manifest())).digest
    assert load_pack(written(tmp_path, manifest())).digest == first
    assert load_pack(written(tmp_path, manifest(), [{**CASE, "it": "moves away"}])).digest != first


def test_a_pack_is_read_again_when_a_byte_of_it_or_a_shared_predicate_differs_and_only_then(tmp_path: Path) -> None:
    folder = written(tmp_path, manifest())
    first = load_pack(folder)
    assert load_pack(folder, now=NINE).reader is first.reader

    shared = [Declared("mine", {"lives_in": PredicatePart(single_valued=False)})]
    assert not load_pack(folder, shared=shared).predicates.of("lives_in").single_valued
    assert load_pack(folder).predicates.of("lives_in").single_valued

    load_pack(folder, shared=shared)
    assert (beside := load_pack(folder)).reader is load_pack(folder).reader, "what was read last is kept"
    assert beside.reader is not first.reader

    assert not load_pack(written(tmp_path, manifest(rules=[rule(disabled=True)]))).reader.rules  # type: ignore[attr-defined]


def test_a_broken_pack_is_refused_until_it_is_fixed(tmp_path: Path) -> None:
    whole = load_pack(written(tmp_path, manifest()))
    broken = written(tmp_path, manifest(version=0))
    assert problems(broken) == problems(broken)
    assert load_pack(written(tmp_path, manifest())).digest == whole.digest


def test_all_problems_of_all_files_are_reported_at_once(tmp_path: Path) -> None:
    broken = manifest(version=0, rules=[rule(when="(a", confidence=1.4)])
    with pytest.raises(Incorrect) as caught:
        load_pack(written(tmp_path, broken, [{"it": "moves", "episodes": []}]))
    assert str(caught.value) == (
        "rule pack 'odd' has 5 problems:\n"
        "  - pack.yaml, version: expected an integer of 1 or more, got 0\n"
        "  - pack.yaml, rules.moved-home.when: not a regular expression: missing ): (a\n"
        "  - pack.yaml, rules.moved-home.confidence: expected 0 to 1, got 1.4\n"
        "  - cases.yaml, cases.0.episodes: expected 1 or more, got 0\n"
        "  - cases.yaml, cases.0.believe: is missing\n"
        "  hint: fix the files under odd/, then run `slowwave rules check odd`"
    )


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"pack": "Odd One"}, "pack: expected small letters, digits and hyphens, got 'Odd One'"),
        ({"version": "1"}, "version: expected an integer, got '1'"),
        (
            {"cadence": {}},
            "cadence: expected at least one of every, cron, interval, idle, semantic_shift, token_pressure, "
            "capacity, session_end",
        ),
        ({"cadense": 1}, "cadense: is not known, did you mean cadence?"),
        ({"rules": []}, "rules: expected at least one rule, or `statements: true`"),
        ({"rules": [rule(), rule()]}, "rules.moved-home.id: 'moved-home' is already the name of another one"),
        ({"rules": [rule(id="Moved")]}, "rules.Moved.id: expected small letters"),
        ({"splits": ["and"]}, "splits.0: expected a group named cut"),
        ({"instead": [", not .*"]}, "instead.0: expected a group named wrong"),
        ({"tidy": {"more": [" called .*"]}}, "tidy.more: expected a group named more in every pattern"),
        (
            {"words": {"a": "{{b}}", "b": "{{a}}"}, "splits": ["(?P<cut>{{a}})"]},
            "splits.0: uses words that use each other",
        ),
        ({"words": {"a": "x" * 5_000}, "splits": ["(?P<cut>{{a}}{{a}})"]}, "splits.0: is longer than 8000 characters"),
        ({"cadence": {"cron": "0 0 30 2 *"}}, "cadence.cron: it never fires"),
    ],
)
def test_each_kind_of_problem_names_its_place(tmp_path: Path, changes: dict[str, Any], problem: str) -> None:
    found = problems_of(tmp_path, **changes)
    assert any(line.startswith(f"pack.yaml, {problem}") for line in found), found


@pytest.mark.parametrize(("changes", "problem"), ROWS["each_kind_of_problem_of_a_rule_names_its_place"])
def test_each_kind_of_problem_of_a_rule_names_its_place(tmp_path: Path, changes: dict[str, Any], problem: str) -> None:
    found = problems_of(tmp_path, rules=[rule(**changes)])
    assert any(line.startswith(f"pack.yaml, rules.moved-home{problem}") for line in found), found


def test_a_pack_without_cases_does_not_load(tmp_path: Path) -> None:
    assert problems(written(tmp_path, manifest(), None)) == ["cases.yaml: is missing"]
    assert problems(written(tmp_path, manifest(), [])) == ["cases.yaml, cases: expected 1 or more, got 0"]


def test_a_file_without_a_mapping_is_refused(tmp_path: Path) -> None:
    assert problems(written(tmp_path, "just text", "just text")) == [
        "pack.yaml: expected a mapping",
        "cases.yaml: expected a list of cases",
    ]


def test_two_cases_of_one_name_are_refused(tmp_path: Path) -> None:
    assert problems(written(tmp_path, manifest(), [CASE, CASE])) == [
        "cases.yaml, cases.1.it: 'moves' is already the name of another one"
    ]


def test_a_folder_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=re.escape("there is no rule pack at")):
        load_pack(tmp_path / "nowhere")


def test_a_pack_of_the_operator_overrides_the_shipped_one(tmp_path: Path) -> None:
    mine = tmp_path / "everyday"
    mine.mkdir()
    (mine / "pack.yaml").touch()
    (tmp_path / "no-pack").mkdir()
    assert find_pack_folders()["everyday"] == default_roots()[0] / "everyday"
    assert find_pack_folders([tmp_path, tmp_path / "nowhere"])["everyday"] == mine
    assert "no-pack" not in find_pack_folders([tmp_path])


def test_a_disabled_rule_is_not_run(tmp_path: Path) -> None:
    pack = packed(tmp_path, rules=[rule(disabled=True), rule(id="other", when="(?P<object>never said)")])
    assert isinstance(pack.reader, PatternReader)
    assert pack.reader.rules == ("other",)


def test_a_pack_must_have_the_name_of_its_folder(tmp_path: Path) -> None:
    assert problems_of(tmp_path, pack="even") == ["pack.yaml, pack: expected 'odd', the name of its folder, got 'even'"]


def test_problems_of_two_files_are_cut_and_counted_together(tmp_path: Path) -> None:
    cases = [{"it": f"case {number}", "tell": "a", "believe": []} for number in range(40)]
    with pytest.raises(Incorrect) as caught:
        load_pack(written(tmp_path, manifest(**{f"k{number}": 1 for number in range(60)}), cases))

    assert str(caught.value).startswith("rule pack 'odd' has 140 problems:\n")
    assert caught.value.problems[MOST_PROBLEMS:] == ("and 90 more",)


def test_loading_refuses_the_key_tell_and_suggests_episodes(tmp_path: Path) -> None:
    with pytest.raises(Incorrect) as caught:
        load_pack(written(tmp_path, manifest(), [{"it": "moves", "tell": ["a"], "believe": []}]))

    assert "cases.yaml, cases.0.tell: is not known, did you mean episodes?" in caught.value.problems
    assert str(caught.value.hint).startswith("write `episodes:` for `tell:`; fix the files under odd/")


def test_the_former_words_of_cases_and_answers_are_read_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    turns = [{"role": "assistant", "text": "Your town?"}, "Ghent"]
    case, town = {"it": "answers", "believe": ["user lives_in Ghent"]}, "^(?P<object>Ghent)$"
    for word in ("told", "episodes", "odd"):
        (tmp_path / word).mkdir()
    asked = {
        "id": "town",
        "says": "It names a town.",
        "asked": "your town",
        "claim": {"predicate": "lives_in"},
    }
    former, present = (
        load_pack(
            written(
                tmp_path / word,
                manifest(rules=[{**asked, answer: town}, {**asked, "id": "again", answer: town}]),
                [{**case, word: turns}, {**case, "it": "answers again", word: turns}],
            )
        )
        for word, answer in (("told", "said"), ("episodes", "answered"))
    )

    assert former.failures() == present.failures() == []
    assert former.cases == present.cases
    assert [record.getMessage() for record in caplog.records] == [
        "odd/pack.yaml: write `answered` for `said`, the former word",
        "odd/cases.yaml: write `episodes` for `told`, the former word",
    ]
    wrong = written(tmp_path / "odd", manifest(), [{**case, "told": [{"text": "a", "rol": "user"}]}])
    assert "cases.yaml, cases.0.told.0.rol: is not known, did you mean role?" in problems(wrong)


def test_rules_check_warns_once_of_a_former_word(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cases = [
        {"it": it, "told": ["I moved to Bruges"], "believe": ["user lives_in Bruges"]} for it in ("moves", "walks")
    ]
    checked = CliRunner().invoke(cli, ["rules", "check", str(written(tmp_path, manifest(), cases))])

    assert checked.exit_code == 0
    assert [record.getMessage() for record in caplog.records] == [
        "odd/cases.yaml: write `episodes` for `told`, the former word"
    ]


def test_the_shipped_packs_use_the_present_words(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    for number, shipped in enumerate([*find_folders_in_force(None).values(), *find_folders_to_add().values()]):
        copy = shutil.copytree(shipped, tmp_path / str(number) / shipped.name)
        cases = (copy / "cases.yaml").read_text(encoding="utf-8")
        (copy / "cases.yaml").write_text(f"{cases}# This line changes the digest, so that no cache has the pack.\n")
        load_pack(copy)
    for shipped in find_reader_folders([]).values():
        load_reader(shipped)

    assert caplog.records == []


def test_a_pack_that_gives_way_reads_only_where_no_model_does(tmp_path: Path) -> None:
    odd, shy = packed(tmp_path), packed(tmp_path, gives_way=True)

    assert reading_beside([odd, shy], []) == [odd, shy]
    assert reading_beside([odd, shy], ["reader"]) == [odd]


def test_no_shipped_pack_reads_beside_a_model() -> None:
    shipped = [load_pack(folder) for folder in find_folders_in_force(None).values()]

    assert {pack.pack for pack in shipped} >= {"everyday"}
    assert not reading_beside(shipped, ["reader"])


def test_a_model_pack_cannot_set_gives_way(tmp_path: Path) -> None:
    shutil.copytree(find_reader_folders()["reader"], tmp_path / "reader")
    with (tmp_path / "reader" / MANIFEST).open("a") as manifest:
        manifest.write("gives_way: true\n")

    with pytest.raises(Incorrect) as caught:
        load_reader(tmp_path / "reader")
    assert any("gives_way" in problem for problem in caught.value.problems)


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


@over(BOMBS)
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
        None, [CASE | {"episodes": [{"text": "a", "at": "9999-12-31T23:00:00-10:00"}]}], "cases.0.episodes.0.at"),
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
