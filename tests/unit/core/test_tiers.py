"""Strength is a closed formula; memories move between tiers by it, and turns leave working memory."""

import uuid
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from slowwave.cache import key
from slowwave.core import feedback, tier_moves
from slowwave.core.decay import DecayPolicy, DecayRule
from slowwave.core.tiers import Fall, Level, Rise, TierPolicy
from slowwave.core.tokens import tokens
from slowwave.core.working_memory import eviction_count
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.domain.working_memory import Conversation, Limits, Turn
from slowwave.rules.lifecycle import load_preset
from tests.unit.core.standings import DAY, HOUR, MINUTE, NOON, after, rules, standing, standings

PRESETS = {name: load_preset(name).policies.everybody for name in ("default", "grampus_f3", "aragora_hope")}
DEFAULT = PRESETS["default"]
TIERS = ("hot", "warm", "cold", "archive")
TICK = timedelta(microseconds=1)
NO_DECAY = DecayPolicy()


def move_of(memory: Standing, tiers: TierPolicy, now: timedelta, decay: DecayPolicy = NO_DECAY) -> str:
    """Return the tier and the reason of the move that is due so long after noon; "" for no move."""
    move = tier_moves.move(memory, tiers, decay, NOON + now)
    return f"{move.to}: {move.reason}" if move else ""


def moved(memory: Standing, move: tier_moves.Move, now: timedelta) -> Standing:
    return replace(memory, tier=move.to, moved=NOON + now)


def accessed(memory: Standing, at: timedelta) -> Standing:
    """Return *memory* after an access."""
    now = NOON + at
    return replace(
        memory,
        access_count=memory.access_count + 1,
        accesses=(*memory.accesses, now)[-8:],
        last_access=now,
        evidence=now,
    )


@given(standings(TIERS), st.floats(0, 1e9), st.lists(st.floats(0, 1e7), max_size=6))
def test_a_memory_never_moves_twice_for_one_state(memory: Standing, age: float, gaps: list[float]) -> None:
    now = timedelta(seconds=age)
    move = tier_moves.move(memory, DEFAULT.tiers, DEFAULT.decay, NOON + now)
    if move is None:
        return

    memory = moved(memory, move, now)
    assert tier_moves.move(memory, DEFAULT.tiers, DEFAULT.decay, NOON + now) is None

    if memory.evidence is None or memory.evidence <= NOON + now:
        ranks = [TIERS.index(memory.tier)]
        for gap in gaps:
            now += timedelta(seconds=gap)
            if (move := tier_moves.move(memory, DEFAULT.tiers, DEFAULT.decay, NOON + now)) is not None:
                memory = moved(memory, move, now)
                ranks.append(TIERS.index(memory.tier))
        assert all(later == earlier + 1 for earlier, later in pairwise(ranks))


@given(standings(("hot", "warm", "cold")), st.sampled_from(sorted(PRESETS)), st.floats(0, 1e9))
def test_a_memory_does_not_fall_before_its_due_time(memory: Standing, preset: str, age: float) -> None:
    policy = PRESETS[preset]
    tier = dict(zip(("hot", "warm", "cold"), ("fast", "medium", "slow"), strict=True))[memory.tier]
    memory = replace(memory, evidence=None, tier=tier if preset == "aragora_hope" else memory.tier)
    due = tier_moves.due(memory, policy.tiers, policy.decay)
    now = after(age)

    move = tier_moves.move(memory, policy.tiers, policy.decay, now)

    if due is None or now < due:
        assert move is None
    else:
        at_once = tier_moves.move(memory, policy.tiers, policy.decay, due + timedelta(milliseconds=1))
        assert at_once is not None
        assert at_once.to == policy.tiers.below(memory.tier)


@given(
    period=st.floats(60, 60 * 86_400),
    sweeps=st.lists(st.floats(0.01, 0.99), max_size=3),
    useful=st.sampled_from((0.0, 0.5, 1.0)),
    start=st.sampled_from(TIERS),
)
def test_a_constant_signal_reverses_a_memory_at_most_once(
    period: float, sweeps: list[float], useful: float, start: str
) -> None:
    memory, ranks = standing(tier=start, moved=NOON - DAY), [TIERS.index(start)]

    def look(at: timedelta) -> None:
        nonlocal memory
        if (move := tier_moves.move(memory, DEFAULT.tiers, DEFAULT.decay, NOON + at)) is not None:
            memory = moved(memory, move, at)
            ranks.append(TIERS.index(memory.tier))

    for number in range(20):
        at = timedelta(seconds=period * number)
        memory = accessed(memory, at)
        surprise = feedback.averaged(memory.surprise, feedback.surprise_of(useful, 0.0))
        memory = replace(memory, surprise=surprise, successes=memory.successes + (useful > feedback.HELPED))
        look(at)
        for share in sorted(sweeps):
            look(at + share * timedelta(seconds=period))
        look(at + timedelta(seconds=period) - TICK)

    turns = [(b > a) for a, b in pairwise(ranks)]
    assert sum(one != other for one, other in pairwise(turns)) <= 1, ranks


def test_accesses_of_twelve_days_are_never_three_in_seven() -> None:
    tiers = PRESETS["grampus_f3"].tiers
    memory = standing(tier="warm")

    for day in (0, 6, 12):
        memory = accessed(memory, day * DAY)
    assert move_of(memory, tiers, 12 * DAY) == ""

    assert move_of(accessed(memory, 13 * DAY), tiers, 13 * DAY) == "hot: 3 accesses in 7 d"


WARM, GLACIAL = standing(tier="warm"), standing(tier="glacial")
ARCHIVED = replace(GLACIAL, tier="archive", moved=NOON + 8 * DAY)


@pytest.mark.parametrize(
    ("preset", "memory", "now", "move"),
    [
        ("grampus_f3", WARM, 6 * DAY, ""),
        ("grampus_f3", WARM, 8 * DAY, "cold: idle for more than 7 d and 0 accesses in 7 d"),
        ("aragora_hope", GLACIAL, 8 * DAY, "archive: idle for more than 7 d"),
        ("aragora_hope", ARCHIVED, 900 * DAY, ""),
        ("aragora_hope", accessed(ARCHIVED, 900 * DAY), 900 * DAY, "glacial: it was recalled from the archive"),
        ("default", GLACIAL, timedelta(0), "cold: the policy has no tier glacial"),
        ("default", standing(tier="hot", pinned=True), 900 * DAY, ""),
    ],
)
def test_the_move_that_is_due_has_its_reason(preset: str, memory: Standing, now: timedelta, move: str) -> None:
    assert move_of(memory, PRESETS[preset].tiers, now) == move


def test_the_same_evidence_lifts_a_memory_once() -> None:
    tiers = PRESETS["aragora_hope"].tiers
    memory = replace(accessed(standing(tier="slow", surprise=0.9), HOUR), moved=NOON + 2 * HOUR)

    assert move_of(memory, tiers, 3 * HOUR) == ""
    assert move_of(accessed(memory, 3 * HOUR), tiers, 3 * HOUR) == "medium: a surprise of 0.90"


def test_a_memory_that_rose_on_evidence_stays_for_the_time_of_its_tier() -> None:
    policy = PRESETS["aragora_hope"]
    memory = replace(accessed(standing(tier="medium", base=0.5, moved=NOON), HOUR), accesses=())

    assert move_of(memory, policy.tiers, HOUR, policy.decay) == ""
    assert move_of(memory, policy.tiers, HOUR + MINUTE, policy.decay) == "slow: weaker than 0.5"


def test_evictions_take_the_weakest_then_the_oldest_and_never_pinned_memories() -> None:
    held = {
        "strong": standing(base=0.9),
        "weak": standing(base=0.2, created=NOON + HOUR),
        "weak and old": standing(base=0.2),
        "pinned": standing(base=0.1, pinned=True),
    }
    ids = {name: uuid.uuid5(uuid.NAMESPACE_DNS, name) for name in held}

    def chosen(capacity: int) -> list[str]:
        memories = ((ids[name], each) for name, each in held.items())
        found = tier_moves.victims(memories, capacity, lambda memory: memory.base)
        return [name for id_ in found for name in held if ids[name] == id_]

    assert chosen(4) == []
    assert chosen(2) == ["weak and old", "weak"]
    assert chosen(0) == ["weak and old", "weak", "strong"]


@pytest.mark.parametrize(
    ("tiers", "problem"),
    [
        (TierPolicy((Level("a"), Level("a")), "a"), "levels: a is listed twice"),
        (TierPolicy((Level("a"),), "b"), "entry: there is no tier b, expected one of a"),
        (
            TierPolicy((Level("archive"),), "archive"),
            "levels: no tier may be called archive, which is below every tier",
        ),
        (TierPolicy((Level("a", rises=(Rise(successes=1),)),), "a"), "levels.0.rise: no tier is hotter"),
        (
            TierPolicy((Level("a"), Level("b", rises=(Rise(),))), "a"),
            "levels.1.rise.0: expected accesses, access_count",
        ),
        (TierPolicy((Level("a"), Level("b", rises=(Rise(3),))), "a"), "levels.1.rise.0: accesses and within belong"),
        (TierPolicy((Level("a"), Level("b", rises=(Rise(9, DAY),))), "a"), "rise.0.accesses: expected 1 to 8, got 9"),
        (TierPolicy((Level("a", falls=(Fall(),)),), "a"), "levels.0.fall.0: expected idle, fewer_than or weaker_than"),
        (TierPolicy((Level("a", importance=(0.5, 1.0)), Level("b", importance=(0.0, 0.6))), "a"), "a and b overlap"),
        (
            TierPolicy((Level("a", importance=(0.5, 1.0)), Level("b", importance=(0.0, 0.4))), "a"),
            "no tier between a and",
        ),
        (TierPolicy((Level("a", importance=(0.5, 1.0)), Level("b")), "a"), "a band for every tier or for none"),
    ],
)
def test_tiers_that_would_lose_memories_are_reported(tiers: TierPolicy, problem: str) -> None:
    (told,) = tiers.problems()

    assert problem in told.replace("an importance band", "a band")


NAMES = st.text(alphabet="ab:/%*?[]{}_\\ ÄA", min_size=1, max_size=4).filter(lambda name: name == name.strip())


def turns(*sizes: int) -> list[Turn]:
    return [Turn(str(number), Episode(content="…"), size) for number, size in enumerate(sizes)]


@pytest.mark.parametrize(
    ("sizes", "evicted"), [([160] * 50, 0), ([8_000, 1], 1), ([*[2_000] * 4, 1], 2), ([1] * 51, 13)]
)
def test_one_token_or_turn_too_many_evicts_the_oldest_quarter_rounded_up(sizes: list[int], evicted: int) -> None:
    assert eviction_count(turns(*sizes), Limits()) == evicted


@given(st.lists(st.integers(0, 9_000), max_size=120))
def test_an_eviction_leaves_turns_within_the_limits_and_evicts_no_more_than_needed(sizes: list[int]) -> None:
    limits = Limits()
    left = eviction_count(turns(*sizes), limits)

    assert sum(sizes[left:]) <= limits.tokens
    assert len(sizes) - left <= limits.turns
    assert left <= len(sizes)


@given(st.text())
def test_a_text_is_about_a_token_for_every_four_bytes(text: str) -> None:
    assert tokens(text) * 4 - 4 < max(1, len(text.encode("utf-8", "surrogatepass"))) <= max(1, tokens(text) * 4)


@given(st.tuples(*[NAMES] * 5), st.tuples(*[NAMES] * 5))
def test_two_conversations_never_share_a_key(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    first, second = (key(Conversation(Scope(*names[:4]), names[4]), "turns") for names in (one, other))

    assert (first == second) == (one == other)
    assert first.count(":") == 6
    assert not set("*?[]{}/ \\") & set(first)


FADING = load_preset("default").policies.everybody.decay
TIMES = st.floats(0, 1e9)


@given(rules(), standings(), TIMES)
def test_strength_lies_between_zero_and_one(rule: DecayRule, memory: Standing, age: float) -> None:
    assert 0 <= rule.strength(memory, after(age)) <= 1


@given(rules(), standings(), TIMES, TIMES)
def test_an_older_memory_is_never_stronger(rule: DecayRule, memory: Standing, one: float, other: float) -> None:
    younger, older = sorted((one, other))

    assert rule.strength(memory, after(older)) <= rule.strength(memory, after(younger))


@given(rules(), standings(), TIMES, st.integers(1, 5_000))
def test_more_accesses_never_lower_strength(rule: DecayRule, memory: Standing, age: float, more: int) -> None:
    used = replace(memory, access_count=memory.access_count + more)

    assert rule.strength(used, after(age)) >= rule.strength(memory, after(age)) - 1e-12


@given(rules(), standings(), TIMES, TIMES)
def test_a_pinned_memory_keeps_its_strength(rule: DecayRule, memory: Standing, one: float, other: float) -> None:
    pinned = replace(memory, pinned=True)
    policy = DecayPolicy((rule,))

    assert policy.strength(pinned, after(one)) == policy.strength(pinned, after(other)) == memory.base
    assert policy.due(pinned) is None


@given(rules(), standings(), st.lists(TIMES, max_size=5), TIMES)
def test_reading_strength_in_between_does_not_change_it(
    rule: DecayRule, memory: Standing, looks: list[float], age: float
) -> None:
    policy = DecayPolicy((rule,))
    alone = policy.strength(memory, after(age))

    for look in looks:
        policy.strength(memory, after(look))

    assert policy.strength(memory, after(age)) == alone


@given(rules(), standings(), st.floats(0.001, 1))
def test_the_time_of_falling_below_a_threshold_agrees_with_strength(
    rule: DecayRule, memory: Standing, threshold: float
) -> None:
    falls = rule.falls_below(memory, threshold)

    if falls is None:
        assert rule.strength(memory, after(1e9)) >= threshold - 1e-9
    else:
        assert rule.strength(memory, falls) < threshold + 1e-9
        before = falls - timedelta(milliseconds=1)
        assume(before > NOON)
        start = {"created": NOON, "last_access": memory.used, "reinforced": memory.reinforced or NOON}[rule.anchor]
        assert before <= start or rule.strength(memory, before) >= threshold - 1e-6


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"half_life_seconds": 0.0}, "half_life: expected more than 0, got 0.0 seconds"),
        ({"shift": HOUR}, "shift: expected 0 up to the gate of 0:00:00, got 1:00:00"),
        ({"stretch": 0.9}, "stretch: expected 1 to 2, got 0.9"),
        ({"per_access": -0.1}, "per_access: expected 0 to 10, got -0.1"),
        ({"floor": 1.5}, "floor: expected 0 to 1, got 1.5"),
    ],
)
def test_an_invalid_decay_rule_reports_its_problem(fields: dict[str, float], problem: str) -> None:
    assert replace(DecayRule(60.0), **fields).problems() == [problem]  # type: ignore[arg-type]  # drawn by name


def test_a_confirmation_restarts_the_decay_of_a_guess() -> None:
    guess = standing(base=0.7, source="inferred", reinforced=NOON + 30 * DAY)

    assert FADING.strength(guess, NOON + 35 * DAY) == 0.7


def test_very_old_and_very_much_used_memories_do_not_overflow() -> None:
    rule = DecayRule(1.0, stretch=2.0, per_access=10, per_importance=10, freshness=0.1)
    used = standing(access_count=10**9)

    assert 0 <= rule.strength(used, NOON + 2_000_000 * DAY) <= 1
    assert 0 <= DecayRule(1e-3).strength(standing(), NOON + 2_000_000 * DAY) <= 1e-300
