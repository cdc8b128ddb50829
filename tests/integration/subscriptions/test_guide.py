"""The receiver in the guide about streams accepts only correctly signed requests."""

import re
from pathlib import Path
from typing import Any

from slowwave.core.webhooks import secret_of, signature
from slowwave.runtime import clock

GUIDE = Path(__file__).parents[3] / "ops" / "docs" / "guides" / "streams.md"


def test_the_guides_receiver_verifies_signatures() -> None:
    (code,) = (each for each in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL) if "hmac" in each)
    room: dict[str, Any] = {}
    exec(code, room)  # the snippet as a reader runs it
    secret, now = secret_of(b"0" * 32), int(clock.now().timestamp())

    def headers(at: int, body: bytes) -> dict[str, str]:
        return {
            "webhook-id": "a", "webhook-timestamp": str(at), "webhook-signature": signature(secret, "a", at, body),
        }  # fmt: skip

    assert room["verified"](headers(now, b"{}"), b"{}", secret)
    assert not room["verified"](headers(now, b"{}"), b"{ }", secret)
    assert not room["verified"](headers(now, b"{}"), b"{}", secret_of(b"1" * 32))
    assert not room["verified"](headers(now - 3600, b"{}"), b"{}", secret)
