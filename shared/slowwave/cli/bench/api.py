"""Benchmark of the HTTP API: one client compared with the library, then many clients while processes are killed."""

import statistics
import time
import uuid
from functools import partial

from slowwave.cli.bench.api_load import QUESTIONS, Caller, Tally, Workers, clients, served
from slowwave.cli.bench.figures import Figures, timed
from slowwave.cli.bench.sample_data import episodes, installed
from slowwave.embedded_services import EmbeddedServices
from slowwave.errors import NotFound
from slowwave.memory import Memory
from slowwave.memory.operations import Access

FILLED = 2_000
"""The number of episodes in the memory that the single client queries."""
ROUNDS = 200
WORKERS = 2
AWAY_SHARE = 0.2
"""The share of a run's time in which Postgres is down."""


def measure(services: EmbeddedServices, count: int, seconds: float, processes: int) -> Figures:
    """Return the figures of *count* clients of an API with *processes*.

    They are measured undisturbed, with a killed worker, and with a restarted Postgres.
    """
    url = services.url
    with installed(url, services.owner_url) as parts:
        _, key = Access(parts).create("bench", ["push", "recall"])
    figures = Figures("api")
    with Memory.connect(url) as memory:
        user = uuid.uuid4().hex
        memory.scope(user).push_many(episodes(FILLED))
        memory.drain(600)
        with served(url, processes) as server:
            address = server.address
            _one_client(figures, memory, user, address, key)
            with Workers(url, WORKERS) as working:
                before = server.processor_seconds(), time.process_time()
                with clients(address, key, count, "a") as quiet:
                    time.sleep(seconds)
                after = server.processor_seconds(), time.process_time()
                _add_times(figures, f"{count} clients, {processes} processes of the API", quiet)
                _add_processor_times(figures, quiet, *(end - start for start, end in zip(before, after, strict=True)))
                with clients(address, key, count, "b") as killing:
                    time.sleep(seconds / 2)
                    working.kill_one()
                    time.sleep(seconds / 2)
                _add_times(figures, "a worker is killed", killing)
                with clients(address, key, count, "c") as stopping:
                    time.sleep(seconds * (1 - AWAY_SHARE) / 2)
                    services.postgres.kill()
                    time.sleep(seconds * AWAY_SHARE)
                    services.postgres.start()
                    time.sleep(seconds * (1 - AWAY_SHARE) / 2)
                _add_times(figures, "Postgres is killed and started", stopping)
        _add_lost_pushes(figures, memory, [quiet, killing, stopping])
    return figures


def _one_client(figures: Figures, memory: Memory, user: str, address: tuple[str, int], key: str) -> None:
    """Add the median time of recall by the library and over HTTP, called alternately, and the ratio of the two."""
    scope = memory.scope(user)
    inside, outside = [], []
    with Caller(address, key) as caller:
        for number in range(-len(QUESTIONS), ROUNDS):
            question = QUESTIONS[number % len(QUESTIONS)]
            library, expected = timed(partial(scope.recall, question))
            over, (status, answer, _) = timed(partial(caller.ask, "/v1/recall", {"user": user, "question": question}))
            assert status == 200, answer
            assert len(answer["items"]) == len(expected)
            if number >= 0:
                inside.append(1000 * library)
                outside.append(1000 * over)
    library = figures.add(f"recall among {FILLED:,} by the library, median", statistics.median(inside), "ms")
    over = figures.add("  over HTTP, one client", statistics.median(outside), "ms")
    figures.add("  ratio (target at most 1.3)", over / library)


def _add_times(figures: Figures, name: str, tally: Tally) -> None:
    answered = len(tally.pushes) + len(tally.recalls)
    figures.add(f"{name}: answered", answered / tally.seconds, "requests/s")
    for verb, times in (("push", tally.pushes), ("recall", tally.recalls)):
        for share in (50, 95, 99):
            figures.add(f"  {verb}, {share} of 100", sorted(times)[share * len(times) // 100] if times else 0.0, "ms")
    figures.add("  told to wait, with Retry-After", tally.waits)
    figures.add("  errors (target 0)", tally.errors.total())
    for kind, times_seen in sorted(tally.errors.items()):
        figures.add(f"    {kind}", times_seen)


def _add_processor_times(figures: Figures, tally: Tally, server: float, load: float) -> None:
    """Add the processor seconds of the *server*'s processes and of the *load* generator, per answered request."""
    answered = max(1, len(tally.pushes) + len(tally.recalls))
    figures.add("  processor time per request, API", 1000 * server / answered, "ms")
    figures.add("  processor time per request, these clients", 1000 * load / answered, "ms")


def _add_lost_pushes(figures: Figures, memory: Memory, tallies: list[Tally]) -> None:
    """Add the number of acknowledged pushes, and the number of acknowledged episodes that cannot be found."""
    lost = total = 0
    for tally in tallies:
        for user, keys in tally.acknowledged.items():
            scope = memory.scope(user)
            for key in keys:
                total += 1
                try:
                    scope.episode(key)
                except NotFound:
                    lost += 1
    figures.add("pushes acknowledged", total)
    figures.add("  of them lost (target 0)", lost)
