"""The suites of push, recall, context and facts once more, by way of the async face: each verb they call is awaited."""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from slowwave.memory.asynchronous.background_loop import BackgroundLoop
from slowwave.memory.asynchronous.twin import TURNS, TWINS
from slowwave.memory.verb_group import parts_of

SUITES = {
    "tests.integration.context.test_context": pytest.mark.accept,
    "tests.integration.memory.test_memory": pytest.mark.accept,
    "tests.integration.memory.test_push_refusals": pytest.mark.accept,
    "tests.integration.memory.test_push_states": pytest.mark.accept,
    "tests.integration.memory.test_reach": pytest.mark.accept,
    "tests.integration.memory.test_recall": pytest.mark.soak,
    "tests.integration.memory.test_scoring": pytest.mark.accept,
    "tests.integration.queries.test_filters": pytest.mark.accept,
    "tests.integration.queries.test_commands": pytest.mark.accept,
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test of the suites with both faces; the awaited one is slower."""
    mark = SUITES.get(metafunc.module.__name__)
    if mark is not None:
        metafunc.fixturenames.insert(0, "face")
        metafunc.parametrize("face", ["called", pytest.param("awaited", marks=mark)], indirect=True)


@pytest.fixture
def face(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Await every called verb on its async twin, if the test asks for it."""
    if request.param == "called":
        yield
        return
    rooms: dict[int, tuple[BackgroundLoop, Any]] = {}
    for kind in TWINS:
        for name, verb in inspect.getmembers(kind, inspect.isfunction):
            if verb.__qualname__ in TURNS:
                monkeypatch.setattr(kind, name, _awaited(name, verb, rooms))
    yield
    for room, parts in rooms.values():
        asyncio.run(room.close(last=lambda: None, hang_up=parts.database.hang_up))


def _awaited(name: str, verb: Callable[..., Any], rooms: dict[int, tuple[BackgroundLoop, Any]]) -> Callable[..., Any]:
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        parts = parts_of(self)
        room, _ = rooms.setdefault(id(parts), (BackgroundLoop(at_once=8), parts))
        twin = TWINS[type(self)](self, room)
        return asyncio.run(getattr(twin, name)(*args, **kwargs))

    return called
