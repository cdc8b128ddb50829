#!/bin/sh
# Run the contract tests once on the lowest versions that pyproject.toml allows: `ops/lowest.sh [FOLDER]`.
# It needs the uv of ops/uv.lock in .venv. It makes an environment in FOLDER, or in a temporary folder that it removes.
set -eu

root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
uv=$root/.venv/bin/uv
folder=${1:-$(mktemp -d)}
[ -n "${1:-}" ] || trap 'rm -rf "$folder"' EXIT

cd "$root"
# This list omits the extra `languages`, which needs a later numpy than the other extras.
"$uv" pip compile --quiet --python-version 3.11 --resolution lowest-direct \
    --extra cli --extra clips --extra embedded --extra encryption --extra graph --extra worker \
    --no-header --no-annotate --no-emit-index-url pyproject.toml -o "$folder/lowest.txt"
"$uv" venv --quiet --python .venv/bin/python "$folder/venv"
# The packages that the tests need, in any version that fits the lowest versions.
"$uv" pip install --quiet --python "$folder/venv/bin/python" --requirement "$folder/lowest.txt" \
    pytest pytest-timeout pytest-xdist psutil hypothesis time-machine
"$uv" pip install --quiet --python "$folder/venv/bin/python" --no-deps --editable .
# Ignore deprecation warnings of old versions.
"$folder/venv/bin/python" -m pytest -q -n 2 -p no:cacheprovider -o filterwarnings= tests/contract tests/integration/import_export
