# Every target sets up what it needs; after the first run all of them work offline.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH_STAMP := $(VENV)/.installed-bench
PORT ?= 8000
RUNNER ?= python
# The tests start a hundred programs; where no bytecode is kept each would compile all of it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install serve test check format lint type pyright layers cover golden docs build clean
.PHONY: bench bench-smoke test-slow test-clients test-ui pictures

help:
	@echo "make serve     set everything up and serve on http://127.0.0.1:$(PORT)/v1"
	@echo "make test      set everything up and run the tests"
	@echo "make check     what CI runs: format, lint, types, layers, tests with coverage"
	@echo "also: install format lint type pyright layers cover golden docs build clean"
	@echo "      bench bench-smoke test-slow test-clients test-ui pictures"

install: $(STAMP)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "k3mock needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $(STAMP)

serve: install
	exec $(BIN)/k3mock serve --port $(PORT) $(ARGS)

test: install
	$(BIN)/$(RUNNER) -m pytest -n 2 $(ARGS)

cover:
	rm -f .coverage .coverage.*
	$(MAKE) test RUNNER="coverage run"
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix --quiet . || true

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell
	$(BIN)/cog --check README.md

type: install
	$(BIN)/mypy

# Pyright brings a Node of its own, so it is installed only where it is asked for.
pyright: install
	@test -x $(BIN)/basedpyright || $(BIN)/python -m pip install --quiet --group pyright
	$(BIN)/basedpyright

layers: install
	$(BIN)/lint-imports

check: lint type layers cover

golden: install
	$(BIN)/python -m tests.wire.golden

docs: install
	$(BIN)/cog -r README.md
	$(BIN)/python -m tests.project.generated
	$(BIN)/python -m tests.project.gallery
	$(BIN)/python -m tests.project.cases
	$(BIN)/python -m tests.project.readme
	$(BIN)/python -m tests.clients.page

build: install
	$(BIN)/python -m build

bench: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks $(ARGS)

bench-smoke: install
	$(BIN)/python -m benchmarks --smoke --out .bench/smoke $(ARGS)

$(BENCH_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --group bench
	touch $(BENCH_STAMP)

test-slow: pyright
	$(BIN)/python -m pytest -m slow -n 0 --timeout 900 $(ARGS)

# Installs other people's clients under .clients/, so it is no part of `make check`.
test-clients: install
	$(BIN)/python -m tests.clients.run $(CLIENT)

# Needs a Chromium, which pip cannot give, so it is no part of `make check`.
test-ui: install
	@command -v $${K3MOCK_CHROMIUM:-chromium} >/dev/null || command -v google-chrome >/dev/null || \
		{ echo "make test-ui needs Chromium. Debian: apt-get install chromium; elsewhere name it: K3MOCK_CHROMIUM=/path/to/chrome make test-ui"; exit 1; }
	$(BIN)/python -m pip install --quiet --group ui
	$(BIN)/python -m pytest -m ui -n 0 $(ARGS)

# The pictures of the README, made by the same tests.
pictures: install
	K3MOCK_PICTURES=1 $(MAKE) test-ui ARGS="-k pictures"

clean:
	rm -rf build dist htmlcov .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -not -path "./$(VENV)/*" -exec rm -rf {} +
