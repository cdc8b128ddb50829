#!/bin/sh
# Run the contract tests once on the lowest versions that pyproject.toml allows: `ops/lowest.sh [FOLDER]`.
# Wants uv of ops/uv.lock in .venv; the environment is made in FOLDER, or in a temporary one that is removed again.
set -eu

root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
uv=$root/.venv/bin/uv
folder=${1:-$(mktemp -d)}
[ -n "${1:-}" ] || trap 'rm -rf "$folder"' EXIT

cd "$root"
# Without `languages`, which wants a later numpy than the rest does.
"$uv" pip compile --quiet --python-version 3.11 --resolution lowest-direct \
    --extra cli --extra clips --extra embedded --extra encryption --extra graph --extra worker \
    --no-header --no-annotate --no-emit-index-url pyproject.toml -o "$folder/lowest.txt"
"$uv" venv --quiet --python .venv/bin/python "$folder/venv"
# What tests need, in the versions of the lock as far as the lowest leave room.
"$uv" pip install --quiet --python "$folder/venv/bin/python" --requirement "$folder/lowest.txt" \
    pytest pytest-timeout pytest-xdist psutil hypothesis time-machine
"$uv" pip install --quiet --python "$folder/venv/bin/python" --no-deps --editable .
# Old versions warn of what newer Pythons will not have: that is their matter.
"$folder/venv/bin/python" -m pytest -q -n 2 -p no:cacheprovider -o filterwarnings= tests/contract tests/integration/import_export
