# make demo   the main job on logs that real frameworks wrote
# make test   the tests
# make distributed  the tests on Spark, Spark Connect and warehouses (needs Java 17; a venv of its own, for pandas < 3)
# make lint   style, types, import contracts, dependencies
# make slow   seeded coverage studies, and damaged logs for every reader (long; FUZZ=600 for ten minutes each)
# make bench  speed against peers and limits, in core-seconds
# make certificate  coverage of every default rule over a grid, into docs/coverage.md and docs/coverage.csv
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FAR := .venv-distributed
LOGS := tests/fixtures/inspect
FUZZ ?= 10

.PHONY: demo test distributed lint slow bench certificate format clean

$(VENV)/.run: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "evalgauge needs Python 3.11 or newer; choose one with: make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	@$(BIN)/python -m pip install --quiet --group dev
	@touch $@

$(VENV)/.slow: $(VENV)/.dev
	@$(BIN)/python -m pip install --quiet --group slow
	@touch $@

$(FAR)/.run: pyproject.toml
	@test -x $(FAR)/bin/python || $(PYTHON) -m venv $(FAR)
	@$(FAR)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	@$(FAR)/bin/python -m pip install --quiet --editable '.[distributed]' --group distributed
	@touch $@

demo: $(VENV)/.run
	$(BIN)/evalgauge measure $(LOGS)/triage-base.eval
	@echo
	$(BIN)/evalgauge compare $(LOGS)/triage-base.eval $(LOGS)/triage-cand.eval --margin 2pp

test: $(VENV)/.dev
	$(BIN)/python -m pytest -q -n auto -m "not slow and not distributed"

distributed: $(FAR)/.run
	$(FAR)/bin/python -m pytest -q -m "distributed and not slow" tests/distributed

slow: $(VENV)/.slow $(FAR)/.run
	EVALGAUGE_FUZZ_SECONDS=$(FUZZ) $(BIN)/python -m pytest -q -n auto -m "slow and not distributed"
	$(FAR)/bin/python -m pytest -q -m "distributed and slow" tests/distributed

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/pyright
	$(BIN)/deptry .

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	$(BIN)/python scripts/bench.py

certificate: $(VENV)/.run
	$(BIN)/python scripts/certificate.py

clean:
	rm -rf $(VENV) $(FAR) .pytest_cache .ruff_cache .hypothesis
