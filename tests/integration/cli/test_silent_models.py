"""A model that answers and claims next to nothing: status says so, and rings when it is nearly every reply."""

import json
from collections.abc import Sequence

import pytest

from slowwave import wiring
from slowwave.domain.model_calls.chunk import Message
from slowwave.domain.model_calls.overview import ENOUGH_REPLIES
from slowwave.memory import Memory, request_batches
from slowwave.settings import Settings
from tests.faults.rig.provider import answering
from tests.integration.command import Run
from tests.unit.model_packs.talks import claim

NOTHING = '{"claims": []}'
HOME = json.dumps({"claims": [claim(1, "lives_in", "Oslo", "moved to Oslo")]})
ALARM = "the model may not follow the prompt, see `slowwave rules rejected`"


def ask_about(settings: Settings, users: int) -> None:
    """Have the model of *settings* read what so many users told; where nobody can be asked, that many claim nothing."""
    parts = wiring.connect(settings)
    vars(parts).update(packs=[])  # the rules have no part in this
    wiring.register(parts)
    with Memory(parts) as memory:
        for number in range(users):
            memory.scope(f"user-{number}").push("I moved to Oslo, and love it", session="s1")
            memory.scope(f"user-{number}").consolidate()
        memory.drain()
        if parts.provider is None:
            handed = request_batches.export_requests(parts, form="openai", peek=False, most=1000, hours=24)
            request_batches.import_replies(parts, [_silent(line) for line in handed])
            memory.drain()


def _silent(line: str) -> str:
    body = {"choices": [{"message": {"content": NOTHING}, "finish_reason": "stop"}]}
    return json.dumps({"custom_id": json.loads(line)["custom_id"], "response": {"status_code": 200, "body": body}})


@pytest.mark.parametrize(
    ("speaking", "users", "rings"),
    [(0, ENOUGH_REPLIES, True), (1, ENOUGH_REPLIES, True), (2, ENOUGH_REPLIES, False), (0, ENOUGH_REPLIES - 1, False)],
    ids=["no claim at all", "one reply of five speaks", "two of five speak", "too few replies to say"],
)
def test_status_warns_about_a_model_with_almost_no_claims(
    settings: Settings, run: Run, speaking: int, users: int, rings: bool
) -> None:
    replies = [HOME] * speaking + [NOTHING] * users

    def answer(_messages: Sequence[Message]) -> str:
        return replies.pop(0)

    with answering(replies=answer) as provider:
        ask_about(settings.model_copy(update={"model": "mute", "model_url": provider.url}), users)

    said = run("status").out
    assert f"{users - speaking} of {users} replies within a day gave no valid claim" in said
    assert (ALARM in said) is rings


def test_status_warns_about_a_silent_model_in_batch_replies_too(settings: Settings, run: Run) -> None:
    ask_about(settings.model_copy(update={"extraction_model": "mute"}), ENOUGH_REPLIES)

    assert ALARM in run("status").out
