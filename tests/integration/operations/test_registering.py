"""Packs are read to be registered once, and again as soon as anything may be otherwise."""

from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.errors import Incorrect
from slowwave.wiring import Settings
from slowwave.wiring.connections import installed, register_if_new

PACK = """
pack: hobbies
version: 1
says: What people do in their time.
cadence: {cron: "%s"}
rules:
  - id: walks
    says: Who says that they walk walks.
    when: '\\bI walk (?P<object>\\w+)'
    claim: {subject: user, predicate: likes}
"""
CASES = """
- it: remembers what somebody likes
  told: ["I walk dogs"]
  believe: ["user likes dogs"]
"""


@pytest.fixture
def own(settings: Settings, tmp_path: Path) -> Settings:
    """Settings of an installation with one pack of its own beside those that ship."""
    folder = tmp_path / "packs" / "hobbies"
    folder.mkdir(parents=True)
    (folder / "cases.yaml").write_text(CASES)
    (folder / "pack.yaml").write_text(PACK % "0 3 * * *")
    return settings.model_copy(update={"rules": folder.parent})


def arrived(settings: Settings) -> tuple[bool, str | None]:
    """Register as a command does; return whether it has read the packs, and when the database runs `hobbies`."""
    parts = wiring.connect(settings)
    try:
        register_if_new(parts)
        schedules = parts.schedule.schedules()
        return "packs" in vars(parts), next((s.cron for s in schedules if s.pack == "hobbies" and s.cron), None)
    finally:
        parts.close()


def test_packs_are_reloaded_only_after_a_change(own: Settings) -> None:
    assert own.rules is not None
    manifest = own.rules / "hobbies" / "pack.yaml"
    assert [arrived(own), arrived(own)] == [(True, "0 3 * * *"), (False, "0 3 * * *")]
    assert arrived(own.model_copy(update={"tenant": "acme"})) == (False, "0 3 * * *")

    manifest.write_text(PACK % "30 4 * * *")
    assert [arrived(own), arrived(own)] == [(True, "30 4 * * *"), (False, "30 4 * * *")]

    others = own.model_copy(update={"rules": None})
    assert arrived(others) == (True, None)
    assert arrived(own) == (True, "30 4 * * *")

    watching = wiring.connect(own)
    watching.watched.look()
    wiring.register_watched(watching)
    watching.close()
    assert arrived(own) == (True, "30 4 * * *")

    manifest.write_text("pack: [")
    with pytest.raises(Incorrect, match="hobbies"):
        arrived(own)


def test_an_installation_is_identified_by_its_files_and_settings(own: Settings) -> None:
    assert own.rules is not None
    at_first = installed(own)

    assert installed(own) == at_first
    assert installed(own.model_copy(update={"preset": "agentx"})) != at_first
    (own.rules / "hobbies" / "more.yaml").write_text("")
    assert installed(own) != at_first
