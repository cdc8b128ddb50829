"""What pytest says of the source documents: unknown ids at once, and with --requirements how much is covered."""

from functools import cache

import pytest

from slowwave.cli.coverage import read

CARRIES = "requirement"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer the summary."""
    parser.addoption("--requirements", action="store_true", help="count the statements that tests carry, a document")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test that carries what no document has; note what it carries, for whichever process reports."""
    carried = [id_ for mark in item.iter_markers(CARRIES) for id_ in mark.args]
    unknown = [id_ for id_ in carried if id_ not in _known()]
    item.user_properties += [(CARRIES, id_) for id_ in carried]
    if unknown:
        pytest.fail(f"no document has {', '.join(unknown)}: see tests/conformance/requirements.yaml", pytrace=False)


@cache
def _known() -> frozenset[str]:
    return frozenset(read().statements)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print covered / total per document, what is overdue, and what is carried by a test that failed."""
    if not terminalreporter.config.getoption("--requirements"):
        return
    coverage = read()
    terminalreporter.section("requirements")
    for document, name, covered, total in coverage.table():
        terminalreporter.write_line(f"{document}  {covered:>3} of {total:<3}  {name}")
    for one in coverage.overdue:
        terminalreporter.write_line(f"{one.id} is due, and no test carries it: {one.says}", red=True)
    for outcome in ("failed", "error"):
        for report in terminalreporter.stats.get(outcome, ()):
            ids = [value for name, value in getattr(report, "user_properties", ()) if name == CARRIES]
            if ids:
                terminalreporter.write_line(f"{', '.join(ids)} does not hold: {report.nodeid}", red=True)
