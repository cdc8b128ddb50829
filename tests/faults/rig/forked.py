"""Child processes that start quickly, forked from a process that has imported everything they need."""

import multiprocessing
from collections.abc import Callable
from multiprocessing.context import ForkServerProcess

LOADED = ["tests.faults.loaded", "tests.faults.rig.migration"]
"""The modules that the first start imports, once for all forks."""


def forked(target: Callable[..., None], *arguments: object) -> ForkServerProcess:
    """Start *target* in a process of its own."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    process = context.Process(target=target, args=arguments)
    process.start()
    return process
