"""Policies name presets, and a preset sets the tiers."""

from datetime import timedelta
from pathlib import Path

import pytest

from slowwave.core import feedback
from slowwave.errors import Incorrect
from slowwave.rules.lifecycle import load_lifecycle, load_preset
from tests.unit.core.standings import DAY, HOUR
from tests.unit.tables import table

ROWS = table(__file__)


def installation(folder: Path, lifecycle: str, **presets: str) -> Path:
    """Return the folder of packs beside an operator's policies."""
    (folder / "packs").mkdir()
    (folder / "policies" / "presets").mkdir(parents=True)
    (folder / "policies" / "lifecycle.yaml").write_text(lifecycle)
    for name, text in presets.items():
        (folder / "policies" / "presets" / f"{name}.yaml").write_text(text)
    return folder / "packs"


def test_each_tenant_has_the_default_preset_unless_configured(tmp_path: Path) -> None:
    lifecycle = load_lifecycle()

    assert set(lifecycle.policies.of("anybody").names.values()) == {"default"}
    assert lifecycle.policies.of("anybody").promotion.confidence == 0.85


def test_a_tenant_overrides_only_the_named_policies(tmp_path: Path) -> None:
    rules = installation(tmp_path, "everybody: agentx\ntenants:\n  acme: {tiers: aragora_hope, retention: long}\n",
                         long="retention: {audit_kept: P999D}")  # fmt: skip

    policies = load_lifecycle(rules).policies

    assert policies.of("acme").names["decay"] == policies.of("other").names["decay"] == "agentx"
    assert [level.name for level in policies.of("acme").tiers.levels] == ["fast", "medium", "slow", "glacial"]
    assert [level.name for level in policies.of("other").tiers.levels] == ["hot", "warm", "cold"]
    assert policies.of("acme").retention.audit_kept == timedelta(days=999)
    assert policies.of("other").retention.audit_kept == timedelta(days=400)


def test_a_job_that_a_preset_does_not_name_keeps_its_default() -> None:
    triggers = load_preset("agentx").triggers

    assert triggers["consolidate"].interval == timedelta(minutes=15)
    assert triggers["sweep"].interval == timedelta(hours=1)


def test_the_shortest_tier_of_any_tenant_sets_the_sweep_interval(tmp_path: Path) -> None:
    levels = "[{name: hot, ttl: PT20M}, {name: cold}]"
    rules = installation(tmp_path, "tenants: {acme: {tiers: quick}}", quick=f"tiers: {{entry: cold, levels: {levels}}}")

    assert load_lifecycle(rules).triggers["sweep"].interval == timedelta(minutes=20)
    assert load_preset("aragora_hope").triggers["sweep"].interval == timedelta(seconds=10)
    assert load_preset("grampus_f3").triggers["sweep"].interval == timedelta(hours=1)


def test_a_snapshot_names_presets_and_numbers() -> None:
    snapshot = load_lifecycle().policies.of("anybody").snapshot()

    assert snapshot["promotion"] == {"preset": "default", "confidence": 0.85, "accesses": 5, "conversations": 2}
    assert snapshot["retention"]["archive_conversations_after"] == 90 * 86_400


def test_all_lifecycle_problems_are_reported_at_once(tmp_path: Path) -> None:
    rules = installation(
        tmp_path,
        "everybody: {decay: agentks, tiers: steep}\ntenants:\n  acme: {scoring: odd}\n",
        steep="tiers:\n  entry: attic\n  levels:\n    - {name: hot, ttl: soon}\n    - {name: cold}\n",
        odd="scoring: {salience: {weight: 0.5, recency: -1}}\ndecay:\n  - {half_life: P1D, keeps_per_day: 0.5}\n",
    )

    with pytest.raises(Incorrect, match="did you mean agentx") as caught:
        load_lifecycle(rules)
    assert {problem.split(": ")[0] for problem in caught.value.problems} == {
        "lifecycle.yaml, everybody.decay",
        "presets/steep.yaml, tiers.levels.0.ttl",
        "presets/odd.yaml, scoring.salience.recency",
        "presets/odd.yaml, decay.0",
    }


def test_a_snapshot_contains_only_the_scoring_parts_in_force() -> None:
    ours = load_lifecycle().policies.of("anybody").snapshot()["scoring"]
    assert ours["contiguity"] == {"reach": 3}
    assert ours["weights"]["similarity"] == 0.26
    assert not {"salience", "kinds", "tiers", "entry"} & ours.keys()
    assert load_preset("reploid_0x68").policies.of("anybody").snapshot()["scoring"]["contiguity"] == {
        "within": 60,
        "boost": 0.2,
    }
    assert load_preset("stargraph_v1").policies.of("anybody").snapshot()["scoring"]["salience"]["weight"] == 0.2


@pytest.mark.parametrize(("scoring", "problem"), ROWS["scoring_refuses_settings_without_effect"])  # fmt: skip
def test_scoring_refuses_settings_without_effect(tmp_path: Path, scoring: str, problem: str) -> None:
    rules = installation(tmp_path, "everybody: {scoring: odd}", odd=f"scoring: {scoring}")

    with pytest.raises(Incorrect) as caught:
        load_lifecycle(rules)
    assert caught.value.problems == (f"presets/odd.yaml, {problem}",)


def test_an_old_word_for_rise_or_fall_is_refused_with_the_new_word(tmp_path: Path) -> None:
    levels = "{name: hot, demote: [{idle: P1D}]}, {name: cold, overflow: demote, promote: [{access_count: 1}]}"
    rules = installation(tmp_path, "everybody: steep", steep=f"tiers: {{entry: hot, levels: [{levels}]}}")

    with pytest.raises(Incorrect) as caught:
        load_lifecycle(rules)
    assert sorted(caught.value.problems) == [
        "presets/steep.yaml, tiers.levels.0.demote: is not known, did you mean fall?",
        "presets/steep.yaml, tiers.levels.1.overflow: expected 'summarise' or 'fall', got 'demote'",
        "presets/steep.yaml, tiers.levels.1.promote: is not known, did you mean rise?",
    ]
    assert str(caught.value.hint).startswith("write `rise:` for `promote:`, `fall:` for `demote:`; fix ")


def test_former_words_for_tiers_are_read_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    former = "ladder:\n  entry: hot\n  rungs: [{name: hot, half_life: P1D}]\ndecay: [{half_life: rung}]\n"
    present = "tiers:\n  entry: hot\n  levels: [{name: hot, half_life: P1D}]\ndecay: [{half_life: tier}]\n"
    choice = "everybody: {ladder: steep, decay: steep}\ntenants: {acme: {ladder: agentx}}\n"

    for folder in ("former", "present"):
        (tmp_path / folder).mkdir()

    policies = load_lifecycle(installation(tmp_path / "former", choice, steep=former)).policies
    told = [record.getMessage() for record in caplog.records]
    caplog.clear()
    choice = choice.replace("ladder", "tiers")

    assert policies == load_lifecycle(installation(tmp_path / "present", choice, steep=present)).policies
    assert caplog.records == []
    assert told == [
        "lifecycle.yaml, everybody: write `tiers` for `ladder`, the former word",
        "lifecycle.yaml, tenants.acme: write `tiers` for `ladder`, the former word",
        "presets/steep.yaml: write `tiers` for `ladder`, the former word",
        "presets/steep.yaml, tiers: write `levels` for `rungs`, the former word",
        "presets/steep.yaml, decay.0: write `half_life: tier` for `half_life: rung`, the former word",
    ]


def test_the_former_word_for_the_factor_of_a_salience_rule_is_read_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    scoring = "scoring: {salience: {weight: 1, rules: [{role: assistant, worth: 1}, {kind: episodic, factor: 0.25}]}}"
    policies = load_lifecycle(installation(tmp_path, "everybody: {scoring: own}\n", own=scoring)).policies

    salience = policies.everybody.scoring.salience
    assert salience is not None
    assert [rule.factor for rule in salience.rules] == [1, 0.25]
    assert [record.getMessage() for record in caplog.records] == [
        "presets/own.yaml, scoring.salience.rules.0: write `factor` for `worth`, the former word"
    ]


def test_an_unknown_key_in_the_wrong_place_gets_no_suggestion(tmp_path: Path) -> None:
    rules = installation(tmp_path, "everybody: steep", steep="tiers: {entry: hot, promote: 1, levels: [{name: hot}]}")

    with pytest.raises(Incorrect, match=r"tiers\.promote: is not known") as caught:
        load_lifecycle(rules)
    assert "rise" not in str(caught.value.hint)


def test_a_tenant_cannot_set_triggers(tmp_path: Path) -> None:
    rules = installation(tmp_path, "tenants:\n  acme: {triggers: agentx}\n")

    with pytest.raises(Incorrect, match=r"lifecycle\.yaml, tenants\.acme\.triggers: is not known"):
        load_lifecycle(rules)


def test_a_config_with_overlapping_bands_is_rejected(tmp_path: Path) -> None:
    rules = installation(
        tmp_path,
        "everybody: {tiers: bands}\n",
        bands="tiers:\n  entry: low\n  levels:\n    - {name: high, importance: [0.5, 1.0]}\n"
        "    - {name: low, importance: [0.0, 0.6]}\n",
    )

    with pytest.raises(Incorrect, match=r"bands of high and low overlap from 0\.5 to 0\.6"):
        load_lifecycle(rules)


def test_decay_by_tier_needs_tiers_with_half_lives(tmp_path: Path) -> None:
    rules = installation(tmp_path, "everybody: {tiers: grampus_f3, decay: aragora_hope}\n")

    with pytest.raises(Incorrect, match="no tier of grampus_f3 has one"):
        load_lifecycle(rules)


ARAGORA = load_preset("aragora_hope").policies.everybody.tiers


def test_the_tiers_of_the_continuum_have_their_numbers_in_order() -> None:
    assert [(level.name, level.ttl, level.capacity, level.importance, level.update) for level in ARAGORA.levels] == [
        ("fast", timedelta(minutes=1), 1000, (0.8, 1.0), "per_event"),
        ("medium", HOUR, 500, (0.5, 0.8), "per_round"),
        ("slow", DAY, 200, (0.3, 0.5), "per_cycle"),
        ("glacial", 7 * DAY, 100, (0.0, 0.3), "monthly"),
    ]


def test_surprise_is_usefulness_minus_prediction() -> None:
    assert feedback.surprise_of(0.9, 0.2) == pytest.approx(0.7)
    assert feedback.surprise_of(0.2, 0.9) == 0
    assert feedback.surprise_of() == 0
    assert feedback.surprise_of(useful=1.0) == feedback.surprise_of(predicted=0.0) == 0.5
