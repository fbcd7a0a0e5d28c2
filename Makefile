# Every target makes and uses the virtual environment in .venv; PYTHON chooses the interpreter (3.11, 3.12 or 3.13).
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	"$$p" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
RUNS ?= runs
PYTEST_WORKERS ?= 2

.PHONY: help demo leaderboard-demo test test-slow test-gpu test-pythons lint format bench clean system

help:
	@echo "make demo         install, run the built-in agents offline, print where the results lie"
	@echo "make leaderboard-demo  the same on both tasks, verified, as a site"
	@echo "make test         install everything the tests need and run them"
	@echo "make test-slow    the tests that take longer"
	@echo "make test-gpu     the tests that need a CUDA device"
	@echo "make test-pythons the core tests on every supported Python that is installed"
	@echo "make lint         ruff, formatting and types"
	@echo "make bench        every benchmark, side by side in one run"

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "no Python 3.11, 3.12 or 3.13 found; set PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# A stamp per set of extras, so that a second run installs nothing.
$(VENV)/.installed-demo: $(BIN)/python pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[frontend,report]"
	@touch $@

$(VENV)/.installed-dev: $(BIN)/python pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[dev,clip,train]"
	@touch $@ $(VENV)/.installed-demo

system:
	@sh tools/system-packages.sh

DEMO_AGENTS := -a oracle -a interviewer -a "interviewer?topics=2" -a "interviewer?topics=4" -a explorer -a impatient -a silent

DEMO_PAGE_AGENTS := -a oracle -a reviser -a draft -a blank

demo: system $(VENV)/.installed-demo
	@rm -rf $(RUNS)/demo
	@echo "== backend: 100 procedural tasks, embedded collaborator, graded in the sandbox =="
	@$(BIN)/colbench run $(DEMO_AGENTS) --tasks procedural:n=100 --out $(RUNS)/demo/backend --plot
	@echo "== frontend: the bundled test pages in a real browser, embedded collaborator, layout similarity =="
	@$(BIN)/colbench assets install
	@$(BIN)/colbench run --env frontend $(DEMO_PAGE_AGENTS) --similarity layout --out $(RUNS)/demo/frontend
	@$(BIN)/colbench show $(RUNS)/demo/frontend/reviser --html $(RUNS)/demo/reviser.html

leaderboard-demo: system $(VENV)/.installed-demo
	$(BIN)/colbench assets install
	PYTHON=$(BIN)/python OUT=$(RUNS)/leaderboard sh examples/leaderboard/demo.sh

test: system $(VENV)/.installed-dev
	$(BIN)/colbench assets install
	$(BIN)/python -m pytest -q -n $(PYTEST_WORKERS) --dist loadfile

test-slow: system $(VENV)/.installed-dev
	$(BIN)/colbench assets install
	$(BIN)/python -m pytest -q -m "slow and not network and not gpu"

# Where the machine has a GPU and no virtual environment is wanted, VENV may name one that exists.
test-gpu: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -q -m gpu

test-pythons: system
	@sh tools/test-pythons.sh

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: system $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) .venv-* build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
