"""`canaries.yaml` is read whole, refused with every problem, and read again when a file of a canary changes."""

from pathlib import Path
from typing import Any

import pytest

from slowwave.errors import Incorrect
from slowwave.rules import load_pack
from slowwave.rules.canaries import CANARIES, Canary, load_canaries
from slowwave.rules.hot_reload import ReloadedRules
from slowwave.rules.predicates import load_predicates
from tests.unit.rules.rulepacks import manifest, rule, written

PREDICATES = {"moored_at": {"single_valued": True, "says": "{subject}'s boat lies in {object}"}}


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """The folder of rules: a pack, and a folder for its canaries."""
    for name in ("packs", "policies", "canaries", "other"):
        (tmp_path / name).mkdir()
    written(tmp_path / "packs", manifest(predicates=PREDICATES, version=3))
    return tmp_path


def declared(shelf: Path, text: str) -> dict[str, Canary]:
    """Return the canaries that a file with this text declares."""
    (shelf / "policies" / CANARIES).write_text(text)
    packs = {"odd": load_pack(shelf / "packs" / "odd")}
    return load_canaries(shelf / "policies" / CANARIES, packs, ["reader"], shared=load_predicates(), statements=True)


def canary(shelf: Path, folder: str = "canaries", **changes: Any) -> Path:
    """Write a new version of the pack into a folder of the rules."""
    return written(shelf / folder, manifest(**{"version": 4, "predicates": PREDICATES, **changes}))


def test_a_canary_is_read_from_its_folder_or_the_named_one(shelf: Path) -> None:
    canary(shelf)
    canary(shelf, "other", version=5)

    one = declared(shelf, "odd: {share: 0.1}")["odd"]
    other = declared(shelf, "odd: {folder: other/odd, share: 1}")["odd"]

    assert [(each.pack.pack, each.pack.version, each.share) for each in (one, other)] == [
        ("odd", 4, 0.1),
        ("odd", 5, 1),
    ]
    assert declared(shelf, "{}") == {}
    assert load_canaries(None, {}, [], shared=[], statements=True) == {}


@pytest.mark.parametrize(
    ("text", "changes", "said"),
    [
        ("odds: {share: 0.5}", {}, "odds: there is no such rule pack, did you mean odd?"),
        ("reader: {share: 0.5}", {}, "reader: needs a model; only a pack of rules can have a canary"),
        ("odd: {share: 0}", {}, "odd.share: "),
        ("odd: {share: 1.5}", {}, "odd.share: "),
        ("odd: {share: .nan}", {}, "odd.share: "),
        ("odd: {share: yes}", {}, "odd.share: "),
        ("odd: {}", {}, "odd.share: "),
        ("odd: {share: 0.5, shares: 1}", {}, "odd.shares: "),
        ("odd: 0.5", {}, "odd: "),
        ("odd: {share: 0.5}", {"version": 3}, "the canary has version 3, and the installed pack has version 3"),
        ("odd: {share: 0.5}", {"version": 2}, "the canary needs a higher one"),
        ("odd: {share: 0.5}", {"pack": "other"}, "odd.folder: "),
        ("odd: {share: 0.5}", {"rules": [rule(when="(")]}, "rules"),
        ("odd: {share: 0.5, folder: canaries/none}", {}, "there is no rule pack at"),
        ("odd: {share: 0.5, folder: ''}", {}, "odd.folder: "),
        (
            "odd: {share: 0.5}",
            {"predicates": {"moored_at": {**PREDICATES["moored_at"], "single_valued": False}}},
            "predicates.moored_at.single_valued: is false here and true in odd/pack.yaml",
        ),
        ("[odd]", {}, "expected a canary for each named pack"),
        ("odd: {share: ", {}, CANARIES),
    ],
)
def test_an_invalid_canary_is_refused_with_its_place(
    shelf: Path, text: str, changes: dict[str, Any], said: str
) -> None:
    canary(shelf, **changes)

    with pytest.raises(Incorrect) as refused:
        declared(shelf, text)

    assert said in str(refused.value)
    assert CANARIES in str(refused.value)
    assert refused.value.hint == f"fix {shelf / 'policies' / CANARIES}"


def test_all_problems_are_listed_at_once(shelf: Path) -> None:
    canary(shelf, version=1)

    with pytest.raises(Incorrect) as refused:
        declared(shelf, "odd: {share: 0.5}\nodds: {share: 2}\nreader: {share: -1}")

    text = str(refused.value)
    for said in ("the canary needs a higher one", "no such rule pack", "odds.share", "needs a model", "reader.share"):
        assert said in text


def test_an_edit_of_a_canary_is_read_and_an_invalid_one_changes_nothing(shelf: Path) -> None:
    watched = ReloadedRules(shelf / "packs", statements=True)
    policy = shelf / "policies" / CANARIES
    policy.write_text("odd: {share: 0.1}")
    folder = canary(shelf)

    def seen() -> list[tuple[int, float]]:
        return [(one.pack.version, one.share) for one in watched.canaries.values()]

    assert (watched.look(), seen(), watched.problems) == (True, [(4, 0.1)], {})
    assert not watched.look()
    canary(shelf, version=55)
    assert (watched.look(), seen()) == (True, [(55, 0.1)]), "its folder was edited"
    (folder / "pack.yaml").write_text("rules: [")
    assert (watched.look(), seen(), list(watched.problems)) == (True, [(55, 0.1)], [CANARIES])
    canary(shelf, version=6)
    policy.write_text("odd: {share: 0.25}")
    assert (watched.look(), seen(), watched.problems) == (True, [(6, 0.25)], {})
    assert watched.packs["odd"].version == 3
    policy.unlink()
    assert (watched.look(), seen()) == (True, [])
