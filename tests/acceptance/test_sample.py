"""The sample data: realistic, worth reading, and with the same result when it is pushed twice."""

import dataclasses
import itertools
import json
import uuid
from collections import Counter
from collections.abc import Iterator

from slowwave import wiring
from slowwave.cli.demo.report import changes
from slowwave.cli.demo.sample import FILE, Line, sample
from slowwave.core.fold import Decision, Fold
from slowwave.domain.episode import Episode, StoredEpisode
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, due_work
from slowwave.rules import find_pack_folders, load_pack


def by_scope() -> dict[Scope, list[Line]]:
    found: dict[Scope, list[Line]] = {}
    for line in sample():
        found.setdefault(line.scope, []).append(line)
    return found


def folded() -> Iterator[tuple[Scope, Decision]]:
    """Give each scope of the sample with each decision of the everyday pack."""
    pack = load_pack(find_pack_folders([])["everyday"])
    for scope, lines in by_scope().items():
        fold = Fold()
        for claim in pack.propose([_stored(scope, line, number) for number, line in enumerate(lines, 1)]):
            for decision in fold.decide(claim):
                yield scope, decision


def _stored(scope: Scope, line: Line, position: int) -> StoredEpisode:
    episode = Episode.from_message(line.episode)
    assert episode.occurred_at
    return StoredEpisode(
        id=uuid.uuid5(scope.id, episode.key),
        position=position,
        received=episode.occurred_at,
        occurred=episode.occurred_at,
        **{name: getattr(episode, name) for name in ("key", "session", "role", "kind", "content", "metadata")},
    )


def told(parts: wiring.Parts) -> Memory:
    """A memory that was told the whole sample and has slept over it."""
    for scope, lines in by_scope().items():
        for receipt in parts.push(scope, [line.episode for line in lines]):
            assert receipt.error is None, receipt.error
    due_work.fire(parts)
    memory = Memory(parts)
    memory.drain()
    return memory


def test_the_sample_has_three_users_two_agents_and_several_channels() -> None:
    lines = sample()
    assert {line.scope.user for line in lines} == {"nora", "tomasz", "amara"}
    assert len({line.scope.agent for line in lines}) == 2
    assert len({line.scope for line in lines}) >= 5
    assert len({(line.scope, line.episode["session"]) for line in lines}) >= 12
    assert 140 <= len(lines) <= 200
    assert 0.3 < sum(line.by_broker for line in lines) / len(lines) < 0.7  # half of the sample goes through the broker


def test_each_sample_line_is_an_episode_with_a_unique_key_and_a_time_zone_in_order_of_time() -> None:
    keys = Counter((line.scope, line.episode["key"]) for line in sample())
    assert max(keys.values()) == 1
    times = [Episode.from_message(line.episode).occurred_at for line in sample()]
    assert all(a and b and a <= b for a, b in itertools.pairwise(times))


def test_the_sample_contains_each_kind_of_episode_and_non_ascii_text() -> None:
    kinds = Counter(line.episode["kind"] for line in sample())
    assert set(kinds) == {"message", "model_call", "tool_call", "memory_read", "outcome"}
    tools = [line.episode["metadata"] for line in sample() if line.episode["kind"] == "tool_call"]
    assert {tool["success"] for tool in tools} == {True, False}
    assert all(tool["error"] for tool in tools if not tool["success"])
    text = FILE.read_text("utf-8")
    assert all(character in text for character in "Åóé☕🎉")


def test_the_sample_gives_each_kind_of_delta_and_learns_nothing_from_recalled_text_or_assistants() -> None:
    lines = {(line.scope, line.episode["key"]): line.episode for line in sample()}
    decisions = list(folded())

    kinds = Counter(decision.kind for _, decision in decisions)
    assert set(kinds) == {"add", "update", "delete", "noop", "review"}
    assert kinds["add"] >= 60
    assert min(kinds["update"], kinds["delete"], kinds["noop"]) >= 4
    assert {decision.claim.mode for _, decision in decisions} == {"assert", "correct", "end", "forget"}
    for scope, decision in decisions:
        source, words = lines[scope, decision.claim.source.key], decision.claim.object
        assert source["kind"] not in {"memory_read", "model_call", "outcome"}
        assert source["role"] in ("user", "tool")
        if decision.kind in ("add", "update"):
            assert 1 <= len(words.split()) <= (8 if decision.claim.form == "typed" else 24), decision.claim
            assert words.strip(" .,;!?") == words


def test_the_sample_is_believed_after_a_night_and_a_second_push_changes_nothing(parts: wiring.Parts) -> None:
    memory = told(parts)
    home, studio = _beliefs(parts, "nora", "home"), _beliefs(parts, "nora", "studio")
    kitchen, thesis = _beliefs(parts, "tomasz", "kitchen"), _beliefs(parts, "amara", "thesis")

    assert {"Nora lives_in Lisbon", "Nora works_at Maré Studio", "Nora allergic_to cashews"} <= home
    assert {"user favourite_font Lora", "user time_zone Europe/Lisbon"} <= studio
    assert {"Tomasz favourite_bread spelt", "Tomasz diet pescatarian"} <= kitchen
    assert {"user lives_in Bergen", "user works_at Vestkyst Lab", "pytest last_outcome succeeded"} <= thesis

    assert not {"Nora lives_in Bergen", "Nora likes coffee", "Nora owns car"} & home
    assert not any("asthma" in belief for belief in kitchen)  # forgotten on request, and not extracted again

    (changed,) = changes(memory.scope("tomasz", agent="concierge", channel="kitchen"))
    assert [one.text for one in changed.ended] == ["Tomasz's diet is vegetarian"]
    assert changed.believed == ["Tomasz's diet is pescatarian"]

    (letter,) = parts.records.dead_letters("default")
    assert (letter.category, letter.content) == ("conflict", "No, I meant cashews.")
    assert {"Nora allergic_to walnuts", "Nora allergic_to kiwi"} <= home

    first, before = memory.digest(), parts.records.overview("default")
    assert told(parts).digest() == first
    after = parts.records.overview("default")
    assert dataclasses.replace(before, lag=after.lag) == after


def _beliefs(parts: wiring.Parts, user: str, channel: str) -> set[str]:
    (scope,) = parts.records.scopes("default", user=user, channel=channel)
    return {f"{fact.subject} {fact.predicate} {fact.object}" for fact in parts.records.facts(scope)}


def test_push_accepts_the_sample_file() -> None:
    fields = {"user", "agent", "channel", "key", "session", "role", "kind", "occurred_at", "content", "metadata"}
    for text in FILE.read_text("utf-8").splitlines():
        assert set(json.loads(text)) <= fields
