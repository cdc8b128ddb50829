"""Engines by name, and rules that read only assistants."""

import sys
from pathlib import Path

import pytest

from slowwave.core.fold import Fold
from slowwave.rules import load_pack
from slowwave.rules.hot_reload import ReloadedRules
from tests.packages import install
from tests.scripts import script
from tests.unit.rules.rulepacks import EVERYDAY, NINE, episode, manifest, problems, problems_of, written
from tests.unit.tables import over, table

POINTS = "[slowwave.extractors]\necho = acme:build\n"
ECHO = script(__file__, "echo_engine.txt")
SAID = {"it": "echoes", "episodes": ["Oslo"], "believe": ["user lives_in Oslo"]}


@pytest.fixture(autouse=True)
def forgotten() -> None:
    sys.modules.pop("acme", None)


def echoing(folder: Path, **changes: object) -> Path:
    fields = manifest(engine="echo", options={"predicate": "lives_in"}, **changes)
    del fields["rules"]
    return written(folder, fields, [SAID])


@pytest.mark.parametrize(
    ("engine", "problem"), [("rulez", "there is no engine 'rulez', did you mean rules?"), (3, "expected text, got 3")]
)
def test_an_unknown_engine_is_a_problem_that_names_the_nearest(tmp_path: Path, engine: object, problem: str) -> None:
    assert problems_of(tmp_path, engine=engine) == [f"pack.yaml, engine: {problem}"]


def test_an_installed_package_brings_an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", monkeypatch, POINTS, ECHO)
    pack = load_pack(echoing(tmp_path))

    assert (pack.engine, pack.failures()) == ("echo", [])
    assert pack.propose(pack.cases[0].stored)[0].single_valued  # by the registry of predicates


def test_a_changed_byte_in_an_engines_file_changes_the_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", monkeypatch, POINTS, ECHO)
    folder = echoing(tmp_path, files=["words.txt"])
    (folder / "words.txt").write_text("one")
    first = load_pack(folder).digest
    (folder / "words.txt").write_text("two")

    assert load_pack(folder).digest != first


def test_a_file_that_an_engine_reads_and_that_is_not_there_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, POINTS, ECHO)
    assert problems(echoing(tmp_path, files=["words.txt"])) == ["words.txt: is missing"]
    assert problems(echoing(tmp_path, files=["../words.txt"])) == [
        "pack.yaml, files.0: expected the name of a file in the pack's folder, got '../words.txt'"
    ]


@pytest.mark.parametrize(
    ("points", "module", "problem"),
    [
        (POINTS, "import absent_thing", "failed with ModuleNotFoundError: No module named 'absent_thing'"),
        (POINTS, "", "failed with AttributeError: module 'acme' has no attribute 'build'"),
        (POINTS, "def build(files): raise KeyError('wrong')", "failed with KeyError: 'wrong'"),
        (POINTS, "def build(files): return 7", "gives a int, which has no propose()"),
        ("[slowwave.extractors]\necho = acme:\n", "", "failed with"),
    ],
)
def test_a_broken_engine_is_a_problem_that_names_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, points: str, module: str, problem: str
) -> None:
    install(tmp_path / "site", monkeypatch, points, module)
    [said] = problems(echoing(tmp_path))

    assert said.startswith("pack.yaml, engine: the engine 'echo' of the package acme ")
    assert problem in said


def test_a_broken_engine_leaves_the_other_packs_in_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", monkeypatch, POINTS, "import absent_thing")
    packs = tmp_path / "rules"
    packs.mkdir()
    echoing(packs)
    written(packs, manifest(pack="other"), name="other")
    rules = ReloadedRules(packs)
    rules.look()

    assert "other" in rules.packs
    assert "odd" not in rules.packs
    assert "package acme failed" in rules.problems["odd"]


ROWS = table(__file__)
STATED = ROWS["stated"]
ENDED = ROWS["ended"]


def believed(*turns: tuple[str, str]) -> list[str]:
    """Return the beliefs after *turns*, each a role and a text."""
    fold = Fold(predicates=EVERYDAY.predicates)
    said = [
        episode(text, number=number, session="s", occurred=NINE, received=NINE, role=role)
        for number, (role, text) in enumerate(turns, 1)
    ]
    for claim in EVERYDAY.propose(said):
        fold.decide(EVERYDAY.predicates.canonical(claim))
    held = fold.believed(NINE)
    return [one.text or EVERYDAY.predicates.sentence(one.subject, one.predicate, one.object) for one in held]


@pytest.mark.parametrize("reply", ["Thanks!", "Can you help me with the cover letter?", "hm, not sure", "No."])
@pytest.mark.parametrize("stated", STATED)
def test_nothing_is_believed_that_an_assistant_states(stated: str, reply: str) -> None:
    assert believed(("assistant", stated), ("user", reply)) == []


@over(STATED)
def test_a_confirmation_confirms_what_the_assistant_asked_about_the_user_or_nothing(stated: str) -> None:
    confirmed = {"You're a vegetarian, right?": ["The user's diet is vegetarian"]}
    confirmed |= {"I recommend the Trattoria in Via Roma; you like pasta.": ["The user likes pasta"]}

    assert believed(("assistant", stated), ("user", "Yes, exactly.")) == confirmed.get(stated, [])


@pytest.mark.parametrize(("told", "stated"), ENDED)
def test_nothing_ends_because_an_assistant_says_so(told: str, stated: str) -> None:
    assert believed(("user", told), ("assistant", stated), ("user", "hm")) == believed(("user", told)) != []
