"""A roll-back of a canary recognises the canary's replays in a tenant whose words are encrypted."""

from slowwave.memory.verb_group import parts_of
from tests.contract.encryption.conftest import Opened
from tests.contract.encryption.test_encryption import encryption, tell
from tests.contract.replay.packs import VERSIONS, declare, install, mishearing


def test_a_roll_back_takes_back_an_encrypted_replay_also_with_a_new_key(opened: Opened, master: str) -> None:
    memory = opened(master)
    install(parts_of(memory))
    tell(memory, ["I love chess.", "I love tea.", "I love opera."])
    scope = memory.scope(user="ann", agent="helper")
    before = sorted(one.text for one in scope.facts())
    declare(parts_of(memory), mishearing(tea="sea"), version=next(VERSIONS))
    scope.replay("everyday")
    replayed = sorted(one.text for one in scope.facts())
    encryption(memory).rotate()

    seen = memory.canaries.status("everyday")
    done = memory.canaries.roll_back("everyday")

    assert replayed != before
    assert seen.replayed == 1
    assert done.replays["default"].skipped == ()
    assert sorted(one.text for one in scope.facts()) == before
    assert memory.canaries.roll_back("everyday").replays["default"].runs == ()
