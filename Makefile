# Every target sets up what it needs. Linux; written to work on macOS too, untested there.
PYTHON ?= python3
# For two cores: a test that waits for a page or a child leaves its core to another one.
JOBS ?= 3
SIZES ?= 10000 100000 1000000
SOAK ?= 1
SEED ?= $(shell $(PYTHON) -c 'import secrets; print(secrets.randbelow(2**32))')
BIN := .venv/bin
CORE := .venv/.core
LAB := .venv/.lab
PAGE := .bench-page.jsonl
STAMP := .venv/.installed
# Some images set it. Then every child process of a test compiles the package again: 0.7 s of CPU in place of 0.2.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo lab test coverage quick offline check format docs dist screenshots bench peers conformance soak strace shells chromium clean
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "make %-12s %s\n", $$1, $$2}' Makefile

# Build tools are installed first, so that constraints.txt holds for them too. Each stamp adds to the one before it: the
# demo needs the core alone, and torch comes with the tests.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
$(CORE): pyproject.toml setup.py constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or later is needed; this is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP) setuptools
	$(PIP) --no-build-isolation -e .
	@touch $@

$(LAB): $(CORE)
	$(PIP) --no-build-isolation -e '.[notebook,lab]'
	@touch $@

$(STAMP): $(CORE)
	$(PIP) --no-build-isolation -e '.[test,check]'
	@touch $@

demo: $(CORE) ## a working session on a store of its own, in the terminal
	$(BIN)/python examples/first_session.py

# It shows this folder, not notebooks/ alone: the tour links to the docs. Jupyter wants to be told that root means it.
lab: $(LAB) ## JupyterLab, on the five-minute tour
	$(BIN)/jupyter lab --LabApp.default_url=/lab/tree/notebooks/tour.ipynb --ServerApp.root_dir=. $(if $(filter 0,$(shell id -u)),--allow-root)

# Every run does the same: seeds are fixed (tests/scale.py), and so is the order of sets.
test: $(STAMP) strace shells chromium ## all tests; every branch of the proofs and of append is reached
	PYTHONHASHSEED=0 $(BIN)/python -m pytest -n $(JOBS) --dist worksteal --cov --cov-report=
	$(BIN)/python -m coverage report --include='substrate/proof/*,substrate/log/append.py' --fail-under=100

coverage: $(STAMP) strace shells chromium ## the same, and which lines of the whole the tests reach
	SUBSTRATE_COVERAGE=all PYTHONHASHSEED=0 $(BIN)/python -m pytest -n $(JOBS) --dist worksteal --cov --cov-report=
	$(BIN)/python -m coverage report --fail-under=90

quick: $(STAMP) ## what a minute or two can tell: no browser, no model, few child processes
	PYTHONHASHSEED=0 $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m 'not slow'

# Not even the loopback is there: what is tested talks over pipes, or within one process. Linux only.
offline: $(STAMP) ## the tests of hydramem and of what is below it, without any network
	unshare -rn $(BIN)/python -m pytest -q tests/surfaces/hydramem tests/relations tests/garden tests/moving/test_hydramem.py

check: $(STAMP) ## lint, format, types and plain English; changes nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m tests.plain_english

format: $(STAMP) ## put the code into the format that check wants
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(STAMP) ## docs/cli.md and docs/tools.md, from the command line and the server themselves
	$(BIN)/python -m substrate.cli.document docs/cli.md
	$(BIN)/python -m substrate.server.document docs/tools.md

screenshots: $(STAMP) chromium ## the pictures of the README, from a real JupyterLab
	REQUIRE_BROWSER=1 $(BIN)/python -m tests.browser.pictures docs/pictures

bench: export SUBSTRATE_BENCH_PAGE := $(PAGE)
bench: $(STAMP) chromium ## everything that is measured, and at the end the goals beside the results; SIZES="10000 100000" for fewer
	@rm -f $(PAGE)
	$(BIN)/python -m benchmarks.store $(SIZES)
	$(BIN)/python -m benchmarks.atoms $(SIZES)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.search $(SIZES)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.retrieval --if-there
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.conversations
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.conversations --texts held-out
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.conversations --texts changes
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.markov $(SIZES)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.prefetch --if-there
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.openings
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.conflicts
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.contradictions
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.associations
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.mcp_server $(SIZES)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.tenants
	$(BIN)/python -m benchmarks.notebook
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.widgets $(SIZES)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.widgets_page $(lastword $(filter-out 1000000,$(SIZES)))
	@$(BIN)/python -m benchmarks.page $(PAGE)

# The bench is no part of the repository: SUBSTRATE_BENCH says where it is. Each peer gets an environment of its own, in .peers.
peers: $(STAMP) ## search beside others, with the same documents and weights; memory servers beside ours; pages beside HydraMem; needs the retrieval bench
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.peers.run
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.peers.over_stdio
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.peers.ingest
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.peers.graph
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.peers.graph_over_stdio

# With URL=..., the folder of the release on the web, the registry is told where to fetch the bundle.
dist: $(CORE) ## the wheel, server.json for the registry of MCP servers, and the server as one file (.mcpb), in dist
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist .
	$(BIN)/python -m release.mcp dist $(if $(URL),--url $(URL))

# Needs the network and npm, for minutes the first time: no part of the tests.
conformance: $(STAMP) ## the server against the protocol's inspector and conformance suite; needs npm
	$(BIN)/python -m tests.conformance.run

# What it finds is printed with an example to keep (`@example`), and with the seed that finds it again.
soak: SEED := $(SEED)
soak: $(STAMP) strace ## random examples, and the large sizes of the tests; SOAK=10 for ten times as large
	@echo "to do the same again: make soak SOAK=$(SOAK) SEED=$(SEED)"
	SUBSTRATE_SOAK=$(SOAK) SUBSTRATE_SEED=$(SEED) $(BIN)/python -m pytest -m soak -n $(JOBS) --dist worksteal --timeout=0 -rA --hypothesis-seed=$(SEED) || \
	  { echo "failed with SEED=$(SEED): to do the same again: make soak SOAK=$(SOAK) SEED=$(SEED)" >&2; exit 1; }

# The power-failure test records the writes of a child process with strace, which exists on Linux only.
strace:
	@command -v strace >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends strace >/dev/null; } || \
	  echo "strace is missing: the power-failure test cannot run. On Debian or Ubuntu: apt-get install strace" >&2

# Completion is tested in the shells themselves. Without zsh or fish those tests are skipped.
shells:
	@{ command -v zsh && command -v fish; } >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends zsh fish >/dev/null; } || \
	  echo "zsh or fish is missing: completion is tested in bash alone. On Debian or Ubuntu: apt-get install zsh fish" >&2

# The widgets are tested in a real browser. Without it those tests are skipped, and with REQUIRE_BROWSER=1 they fail.
chromium:
	@command -v chromium >/dev/null || [ -n "$$CHROMIUM" ] || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	  echo "chromium is missing: the widgets are not tested in a browser. On Debian or Ubuntu: apt-get install chromium; elsewhere: CHROMIUM=path" >&2

clean: ## remove the virtual environment and all that was generated
	git clean -fdqX substrate/embed/weights 2>/dev/null || true
	rm -rf .venv .peers .bench-cache .bench-page.jsonl .conformance build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.* htmlcov
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
