# Every target sets up its own .venv from a fresh clone; Python >= 3.10 is all that it needs.
#   make demo    run all benchmarks on the scripted rehearsal models, offline, and print the leaderboard
#   make serve   browse that leaderboard with helm-server
#   make test    run the tests (installs Debian's chromium for the browser tests when it is missing)
#   make check   lint, types, benchmark files, schema.yaml

PYTHON ?= python3
PORT ?= 8000
SUITE ?= demo
BIN := .venv/bin
READY := .venv/.ready
INSPECT_READY := .venv-inspect/.ready
SUMMARY := benchmark_output/runs/$(SUITE)/groups.json
CHROMIUM := $(shell command -v chromium || command -v chromium-browser)
ROOT_RUN := $(shell [ "$$(id -u)" = 0 ] || command -v sudo)

.PHONY: demo serve test check format schema chromium clean

demo: $(READY)
	$(BIN)/helm-run --conf-paths run_entries/rehearsal.conf --suite $(SUITE) -m 10000
	$(BIN)/impactbench summarize --suite $(SUITE)
	$(BIN)/impactbench leaderboard --suite $(SUITE)

serve: $(SUMMARY)
	$(BIN)/helm-server --suite $(SUITE) --port $(PORT)

$(SUMMARY):
	$(MAKE) demo

test: $(READY) $(INSPECT_READY) chromium
	$(BIN)/python -m pytest -n auto --dist loadfile

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/impactbench check
	$(BIN)/impactbench schema | diff schema.yaml -

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

schema: $(READY)
	$(BIN)/impactbench schema --out schema.yaml

chromium:
ifeq ($(CHROMIUM),)
	$(ROOT_RUN) apt-get update -qq
	$(ROOT_RUN) apt-get install -y -qq chromium
endif

$(READY): setup.cfg pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python >= 3.10 is needed: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $(READY)

# Inspect AI reads our logs back in the tests. It lives apart: its dependencies and HELM's exclude each other.
$(INSPECT_READY):
	$(PYTHON) -m venv .venv-inspect
	.venv-inspect/bin/python -m pip install --quiet --disable-pip-version-check 'inspect_ai>=0.3.150,<0.4'
	touch $(INSPECT_READY)

clean:
	rm -rf .venv .venv-inspect build *.egg-info .pytest_cache .mypy_cache .ruff_cache
