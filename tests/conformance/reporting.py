"""The requirements in a run of pytest: a wrong mark fails at once, and a whole run writes its record."""

from collections.abc import Generator
from functools import cache
from pathlib import Path

import pytest

from slowwave.cli.coverage import Ended, Tree, WholeRun
from slowwave.cli.coverage.marks import statements

CARRIES = "requirement"
CHECKOUT = Path(__file__).parents[2]


def pytest_configure(config: pytest.Config) -> None:
    """Keep the record in the process that receives the reports of all tests."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(config.rootpath), "requirements")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Store the statements of a test for the process that keeps the record."""
    item.user_properties += [(CARRIES, id_) for id_ in _carried(item)]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test whose statement is in no document."""
    if unknown := [id_ for id_ in _carried(item) if id_ not in _known()]:
        pytest.fail(f"no document has {', '.join(unknown)}: see tests/conformance/requirements.yaml", pytrace=False)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test with a statement that does not run to its end or is allowed to fail."""
    report = yield
    carried = _carried(item)
    if carried and (report.skipped or hasattr(report, "wasxfail")):
        report.outcome = "failed"
        report.longrepr = f"a test that carries {', '.join(carried)} is neither skipped nor expected to fail"
    return report


class Recorder:
    """The outcomes of the tests that carry statements; those of a whole run are written down."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._tree = Tree.of(root)
        self._tests: dict[str, Ended] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the outcome of a phase of a test: a test passes by its call and fails by any phase."""
        carries = [str(value) for name, value in report.user_properties if name == CARRIES]
        if carries and (report.when == "call" or not report.passed):
            self._tests[report.nodeid] = Ended(carries, report.outcome)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the record of a run that was whole."""
        ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if ended and not session.shouldstop and not session.shouldfail and whole(session.config):
            WholeRun(self._tree, self._tests).write(self._root)


def whole(config: pytest.Config) -> bool:
    """Return whether a run is asked for every test that `pytest` without arguments runs."""
    usual = config.getini("addopts")
    narrowed = [name for name in NARROWING if config.getoption(name, None)]
    overridden = [one for one in config.getoption("override_ini") or () if one not in OURS]
    ignored = [path for path in config.getoption("ignore") or () if f"--ignore={path}" not in usual]
    return (
        list(config.args) == config.getini("testpaths")
        and config.invocation_params.dir == config.rootpath
        and (config.getoption("markexpr") or None) in (None, *usual)
        and not narrowed
        and not overridden
        and not ignored
    )


NARROWING = ("keyword", "deselect", "ignore_glob", "lf", "stepwise", "collectonly")
OURS = ("strict_markers=true",)  # `--strict-markers` in our `addopts`, which pytest stores as an override


def _carried(item: pytest.Item) -> list[str]:
    return [id_ for mark in item.iter_markers(CARRIES) for id_ in mark.args]


@cache
def _known() -> frozenset[str]:
    return frozenset(statements(CHECKOUT)[1])
