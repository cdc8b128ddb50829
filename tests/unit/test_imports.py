"""What an import brings along: an agent that reaches only the broker loads no numpy, no database and no Celery."""

import os
import subprocess
import sys

import pytest

HEAVY = {
    "alembic",
    "celery",
    "click",
    "croniter",
    "kombu",
    "networkx",
    "numpy",
    "psycopg",
    "redis",
    "rich",
    "sqlalchemy",
    "yaml",
}


def loaded(code: str) -> set[str]:
    """Return the packages that *code* loads in a fresh interpreter."""
    said = "\nimport sys\nprint(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code + said], env=here, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("import slowwave.errors", set()),
        ("from slowwave import Episode", set()),
        ("from slowwave import QueueClient", set()),
        ("from slowwave import QueueClient\nQueueClient('redis://nowhere:1/0').close()", set()),
        ("from slowwave.remote import RemoteMemory\nRemoteMemory('http://nowhere:1').close()", set()),
        (
            "from click.testing import CliRunner\nfrom slowwave.cli import cli\nCliRunner().invoke(cli, ['--help'])",
            {"click"},
        ),
        ("from slowwave import Memory", {"croniter", "numpy", "psycopg", "redis", "sqlalchemy", "yaml"}),
    ],
)
def test_an_import_loads_no_heavy_module(code: str, allowed: set[str]) -> None:
    found = loaded(code)

    assert "slowwave" in found
    assert found & HEAVY <= allowed
