"""Three hosts whose links to Postgres and Redis are cut, in one direction or both: each episode is there once."""

import itertools
import json
import random
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from threading import Event

import pytest

from slowwave import wiring
from slowwave.runtime import clock
from tests.faults.rig.corpus import Corpus, Story
from tests.faults.rig.ground import LEASE_SECONDS, Ground, environment
from tests.faults.rig.hosts import CUTS, Host, joined, lacking
from tests.faults.rig.processes import Process, celery, celery_beat, python, running, until
from tests.faults.rig.proxy import before
from tests.faults.rig.pusher import Log, Pace
from tests.faults.rig.stage import restarting
from tests.faults.rig.verdict import prove, settle, undisturbed

HOSTS = 3
A_SECOND, SECONDS_A_CUT = 4.0, 6
LONG_SECONDS = 13.0
"""A cut longer than the TCP user timeout, so that both ends notice it."""


@dataclass(frozen=True)
class Crew:
    """The processes on a host: a worker, a scheduler and a pusher with its log."""

    host: Host
    kept: Sequence[Process]
    pusher: Process
    log: Log

    def pushed(self) -> int:
        """Return the number of acknowledged episodes."""
        return len(self.log.acknowledged())


@pytest.mark.timeout(600)
@pytest.mark.parametrize("cuts", [pytest.param(3, marks=pytest.mark.accept), pytest.param(24, marks=pytest.mark.soak)])
def test_hosts_that_are_cut_off_lose_and_double_nothing(
    ground: Ground, database: str, tmp_path: Path, cuts: int
) -> None:
    if lacks := lacking():
        pytest.skip(f"partitions between hosts take root, `ip` and `tc` with network namespaces: {lacks}")
    episodes = round(A_SECOND * SECONDS_A_CUT * (cuts + 1))
    stories = [
        Story(seed=70 + number, user=f"host{number}", episodes=episodes, chapter=episodes) for number in range(HOSTS)
    ]
    whole = Corpus(70, [each for story in stories for each in story.whole().said])
    dice = random.Random(whole.seed)
    with ExitStack() as stack:
        address, hosts = stack.enter_context(joined(HOSTS))
        broker, postgres = (
            stack.enter_context(before(at, address)) for at in (ground.redis.socket, ground.postgres_socket)
        )
        settings = ground.settings(database, broker_url=broker.url, url=postgres.postgres_url(database))
        register(ground, database)
        env = environment(settings)
        del env["SLOWWAVE_OWNER_URL"]  # a connection that bypasses the cut network
        crews = [crew(host, env, story, tmp_path) for host, story in zip(hosts, stories, strict=True)]
        for each in crews:
            for process in (*each.kept, each.pusher):
                stack.enter_context(running(process))
                stack.enter_context(restarting(process, until_done=process is each.pusher))
        until(lambda: all(each.pushed() > 4 for each in crews), "every host pushes")

        hurt = 0
        for victim, how in zip(itertools.cycle(crews), dice.sample(CUTS * (cuts // 3), cuts), strict=False):
            others = [(each, each.pushed()) for each in crews if each is not victim]
            victim.host.cut(how)
            mark = victim.pushed()
            Event().wait(dice.uniform(1, 2) * LEASE_SECONDS)
            until(partial(go_on, others), f"others push while {victim.host.name} is {how}")
            hurt += victim.pusher.running and victim.pushed() <= mark + 4  # a batch may have been stored
            victim.host.mend()
        for each in crews:
            each.host.cut(dice.choice(CUTS))
        Event().wait(LONG_SECONDS)
        for each in crews:
            each.host.mend()

        until(lambda: not any(each.pusher.running for each in crews), "every push is answered")
        settle(ground, database, whole)
    assert hurt >= cuts / 2, "hosts were cut off that had nothing to do"
    acknowledged = {key: at for each in crews for key, at in each.log.acknowledged().items()}
    assert len(acknowledged) == len(whole.said)
    prove(ground, database, whole, undisturbed(ground, whole), acknowledged=acknowledged)


def go_on(crews: Sequence[tuple[Crew, int]]) -> bool:
    """Return whether each pusher has passed its number, or has finished."""
    return all(crew.pushed() > mark or not crew.pusher.running for crew, mark in crews)


def register(ground: Ground, database: str) -> None:
    """Register the packs, as an installer does."""
    parts = wiring.connect(ground.settings(database))
    wiring.register(parts)
    parts.close()


def crew(host: Host, env: dict[str, str], story: Story, folder: Path) -> Crew:
    """Return the processes of *host*, not yet started."""
    pace = asdict(Pace(clock.monotonic(), A_SECOND))
    told = {**env, "STORY": json.dumps(asdict(story)), "PACE": json.dumps(pace)}
    log = folder / f"{host.name}.acknowledged"
    kept = [
        Process(host.command(command), env, folder / f"{host.name}.{name}")
        for name, command in (("worker", celery("worker.app", processes=1)), ("beat", celery_beat()))
    ]
    pusher = Process(host.command(python("tests.faults.rig.pusher", str(log))), told, folder / f"{host.name}.pusher")
    return Crew(host, kept, pusher, Log(log))
