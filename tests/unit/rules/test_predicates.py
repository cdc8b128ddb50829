"""The registry of predicates for all packs: names, values, contradictions, sentences."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from slowwave.core.learning import PREFERENCE, ROUTINE, STRATEGY
from slowwave.core.predicates import Predicate, Predicates
from slowwave.errors import Incorrect
from slowwave.rules import Pack, find_pack_folders, load_pack
from slowwave.rules.folders import find_folders_to_add, find_reader_folders
from slowwave.rules.hot_reload import ReloadedRules
from slowwave.rules.predicates import Declared, disputes, load_predicates, merged, predicate_files, together
from tests.unit.core.histories import claim
from tests.unit.rules.rulepacks import manifest, packed, problems_of, rule, written
from tests.unit.tables import over, table

ROWS = table(__file__)
SHARED = merged(load_predicates())
WITH_RULES = [one for one in find_pack_folders().values() if "\nrules:\n" in (one / "pack.yaml").read_text()]
"""The shipped packs that list their predicates; the others use open predicates."""


def operator(folder: Path, **predicates: Any) -> Path:
    """Write an operator's own `predicates.yaml`, and return the folder of packs beside it."""
    (folder / "policies").mkdir(exist_ok=True)
    (folder / "policies" / "predicates.yaml").write_text(json.dumps(predicates))
    (folder / "packs").mkdir(exist_ok=True)
    return folder / "packs"


def watching(folder: Path, **predicates: Any) -> ReloadedRules:
    """Return the rules of an operator with these predicates and a pack, after a first look."""
    written(packs := operator(folder, **predicates), manifest())
    watched = ReloadedRules(packs)
    watched.look()
    return watched


def other(folder: Path, name: str, **predicates: Any) -> Pack:
    """Load a pack of another name with these predicates."""
    return load_pack(written(folder, manifest(pack=name, predicates=predicates), name=name))


# names


def test_a_claim_under_another_name_is_a_claim_of_the_predicate() -> None:
    found = SHARED.canonical(claim("Oslo", predicate="resides_in", single_valued=False))

    assert (found.predicate, found.single_valued) == ("lives_in", True)


def test_a_pack_may_use_any_name_of_a_predicate(tmp_path: Path) -> None:
    pack = packed(tmp_path, rules=[rule(claim={"predicate": "resides_in"})])

    assert pack.failures() == []


def test_a_predicate_under_an_open_prefix_keeps_its_name() -> None:
    found = SHARED.canonical(claim("blue", predicate="favourite_colour", single_valued=False))

    assert (found.predicate, found.single_valued) == ("favourite_colour", True)


def test_an_unregistered_predicate_has_many_values() -> None:
    assert not SHARED.canonical(claim("Kiel", predicate="moored_at", single_valued=True)).single_valued


def test_a_correction_without_a_predicate_is_unchanged() -> None:
    back = claim("Oslo", predicate="*", mode="correct")

    assert SHARED.canonical(back) is back


def test_opposites_are_symmetric_and_resolve_aliases(tmp_path: Path) -> None:
    pack = packed(tmp_path, predicates={"trusts": {"opposites": ["doubts"]}, "distrusts": {"aliases": ["doubts"]}})

    assert pack.predicates.of("trusts").opposites == ("distrusts",)
    assert pack.predicates.of("doubts").opposites == ("trusts",)


# places


def test_an_operators_predicate_overrides_the_shipped_one(tmp_path: Path) -> None:
    found = merged(load_predicates(operator(tmp_path, lives_in={}, moored_at={"single_valued": True})))

    assert not found.of("lives_in").single_valued
    assert found.of("moored_at").single_valued
    assert found.of("works_at").single_valued


@pytest.mark.parametrize(("predicates", "problem"), ROWS["problems"])  # fmt: skip
def test_each_kind_of_problem_names_its_place(tmp_path: Path, predicates: dict[str, Any], problem: str) -> None:
    found = problems_of(tmp_path, predicates=predicates)

    assert any(problem in line for line in found), found


def test_consistent_declarations_of_a_predicate_are_merged(tmp_path: Path) -> None:
    pack = packed(tmp_path, predicates={"lives_in": {"single_valued": True, "aliases": ["dwells_in"]}})

    assert pack.predicates.of("dwells_in").name == pack.predicates.of("resides_in").name == "lives_in"


def test_two_packs_that_disagree_are_refused_with_both_places(tmp_path: Path) -> None:
    one, two = other(tmp_path, "boats", moored_at={"single_valued": True}), other(tmp_path, "ships", moored_at={})

    found = disputes({pack.pack: pack.declared for pack in (one, two)})

    where = "ships/pack.yaml, predicates.moored_at.single_valued: is false here and true in boats/pack.yaml"
    assert {name: error.problems for name, error in found.items()} == {"boats": (where,), "ships": (where,)}
    assert all(error.hint for error in found.values())


def test_a_disagreement_leaves_the_old_packs_in_force(tmp_path: Path) -> None:
    other(tmp_path, "boats", moored_at={"single_valued": True})
    home = other(tmp_path, "ships", moored_at={"single_valued": True}).folder
    watched = ReloadedRules(tmp_path)
    watched.look()

    (home / "pack.yaml").write_text(json.dumps(manifest(pack="ships", version=2, predicates={"moored_at": None})))

    assert watched.look()
    assert set(watched.problems) == {"boats", "ships"}
    assert (watched.packs["boats"].version, watched.packs["ships"].version) == (1, 1)
    assert merged(together(pack.declared for pack in watched.packs.values())).of("moored_at").single_valued


def test_invalid_shared_predicates_disable_every_pack_until_they_are_fixed(tmp_path: Path) -> None:
    packs = operator(tmp_path, moored_at={"single_valued": "many of them"})
    written(packs, manifest())
    watched = ReloadedRules(packs)

    assert watched.look()
    assert (watched.packs, "odd" in watched.unread) == ({}, True)

    operator(tmp_path, moored_at={"single_valued": True})
    assert watched.look()
    assert watched.packs["odd"].predicates.of("lives_in").single_valued
    assert watched.problems == {}


def test_a_wrong_edit_of_the_shared_predicates_leaves_the_old_ones_in_force(tmp_path: Path) -> None:
    watched = watching(tmp_path, moored_at={"single_valued": True})

    operator(tmp_path, moored_at={"single_valued": "many of them"})

    assert watched.look()
    assert set(watched.problems) == {"predicates.yaml"}
    assert watched.packs["odd"].predicates.of("moored_at").single_valued


def test_the_merged_predicates_contain_the_operators_and_the_shipped_ones(tmp_path: Path) -> None:
    watched = watching(tmp_path, moored_at={"single_valued": True}, likes={"policy": "prefer_new"})

    found = watched.predicates

    assert found.of("moored_at").single_valued
    assert found.of("lives_in").single_valued
    assert found.of("likes").policy == "prefer_new"


def test_an_edit_of_the_shared_predicates_is_in_force_at_the_next_look(tmp_path: Path) -> None:
    watched = watching(tmp_path)
    operator(tmp_path, moored_at={"single_valued": True})

    assert watched.look()
    assert watched.packs["odd"].predicates.of("moored_at").single_valued


def test_the_old_key_single_valued_is_refused_with_the_new_key(tmp_path: Path) -> None:
    with pytest.raises(Incorrect) as caught:
        packed(tmp_path, single_valued=["lives_in"])

    assert "pack.yaml, single_valued: is not known, did you mean predicates?" in caught.value.problems
    assert "write `predicates:` for `single_valued:`" in str(caught.value.hint)


# sentences


def claimed_by(pack: Pack) -> set[str]:
    """Return the predicates that the rules of a pack name."""
    text = (pack.folder / "pack.yaml").read_text()
    return set(re.findall(r"predicate: ([a-z_]+)[,}]", text))


@pytest.mark.parametrize("folder", WITH_RULES, ids=lambda folder: folder.name)
def test_each_predicate_of_a_shipped_pack_has_a_sentence(folder: Path) -> None:
    pack = load_pack(folder)

    assert claimed_by(pack)
    assert {name for name in claimed_by(pack) if pack.predicates.of(name).says is None} == set()


def test_each_learned_predicate_has_a_sentence() -> None:
    assert all((STRATEGY, ROUTINE, PREFERENCE))
    for name in ("is_done_by", "routine", "recurring_preference", "summary", "overview"):
        assert SHARED.of(name).says


@over(ROWS["sentences"])
def test_a_fact_reads_as_a_whole_sentence(subject: str, predicate: str, object: str, sentence: str) -> None:
    assert SHARED.sentence(subject, predicate, object) == sentence


@pytest.mark.parametrize(("subject", "predicate", "object", "sentence"), ROWS["denials"])
def test_a_fact_denied_reads_as_a_whole_sentence(subject: str, predicate: str, object: str, sentence: str) -> None:
    assert SHARED.sentence(subject, predicate, object, negated=True) == sentence


def test_the_user_is_called_by_name_where_it_is_known() -> None:
    assert SHARED.sentence("user", "likes", "tea", called="Nora") == "Nora likes tea"
    assert SHARED.sentence("user", "name", "Nora", called="Nora") == "The user's name is Nora"


def test_a_sentence_ends_with_its_time() -> None:
    assert SHARED.sentence("Nora", "works_at", "Acme", when="since March 2021") == "Nora works at Acme since March 2021"


def test_the_longest_matching_open_predicate_applies() -> None:
    found = Predicates([Predicate("knows_*"), Predicate("knows_of_*", single_valued=True)])

    assert found.of("knows_of_tea").single_valued
    assert not found.of("knows_tea").single_valued


def test_a_shared_predicates_file_is_declared_once(tmp_path: Path) -> None:
    one, two = other(tmp_path, "boats"), other(tmp_path, "ships")

    places = [declared.place for declared in together([one.declared, two.declared])]

    assert places == ["policies/predicates.yaml", "boats/pack.yaml", "ships/pack.yaml"]
    assert all(isinstance(declared, Declared) for declared in one.declared)


def test_each_shipped_predicate_is_declared_in_one_place() -> None:
    folders = [*find_pack_folders().values(), *find_reader_folders().values(), *find_folders_to_add().values()]
    packs = [yaml.safe_load((folder / "pack.yaml").read_text()).get("predicates", {}) for folder in folders]
    shared = yaml.safe_load(predicate_files(None)[-1].read_text())

    declared = Counter(name for one in (shared, *packs) for name in one)
    assert {name: count for name, count in declared.items() if count > 1} == {}
    assert {"decided", "deadline", "also_called"} <= declared.keys()
