"""What is easily lost or stuck at night: between two transactions, between two writers, between two tenants."""

import pytest

from slowwave.domain.run import SWEEP
from slowwave.domain.scope import Scope
from slowwave.store.sweep import PostgresSweeping
from tests.contract.desk import Desk
from tests.contract.standings import chosen, now, put, run


def killed(*_: object, **__: object) -> None:
    """Die as a process does."""
    raise KeyboardInterrupt


@pytest.mark.parametrize("step", ["overflow", "relieve", "seen_to"])
def test_room_is_made_though_a_sweep_was_killed_before_it_was(
    desk: Desk, scope: Scope, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    chosen(desk, "aragora_hope")
    for _ in range(205):
        put(desk, scope, tier="slow", base=0.4, sweep_due=now(desk))
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(PostgresSweeping, step, killed)
        run(desk, SWEEP)

    desk.later(desk.lease + 1)
    run(desk, SWEEP)

    assert desk.value("SELECT count(*) FROM standing WHERE tier = 'slow'") == 180
    run(desk, SWEEP)
    assert not desk.value("SELECT count(*) FROM standing WHERE sweep_due <= slowwave_now()")
