"""Processes to kill that start quickly, forked from one that has loaded all they need."""

import multiprocessing
from collections.abc import Callable
from multiprocessing.context import ForkServerProcess

LOADED = ["tests.faults.rig.killed", "tests.faults.rig.migration"]
"""What is imported once, by whoever starts the first."""


def forked(target: Callable[..., None], *arguments: object) -> ForkServerProcess:
    """Start *target* in a process of its own."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    process = context.Process(target=target, args=arguments)
    process.start()
    return process
