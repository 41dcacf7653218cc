# Everything runs in .venv, which is made on first use and again when pyproject.toml or a lock changes.
PYTHON ?= python3
BIN := .venv/bin

# Packages come from requirements/*.lock, each file of them known by its hash, and only ready-built:
# building one would fetch and run what no lock names. `make LOCKED= …` takes what the ranges of
# pyproject.toml give instead, for a platform or a Python that a locked version does not serve.
LOCKED ?= yes
, := ,
# $(call install,folder of pip,locks,extras)
define install
	$(if $(LOCKED),$(1)/pip install --quiet --require-hashes --only-binary :all: \
		$(patsubst %,-r requirements/%.lock,$(2)))
	$(1)/pip install --quiet $(if $(LOCKED),--no-deps --no-build-isolation -e .,-e '.$(3)')
endef

.PHONY: demo test test-train test-ray test-storage browser lint bench fuzz faults notebooks docs reference lock licences sbom clean

demo: .venv/run
	$(BIN)/pseudovoice demo -o demo-report

test: .venv/dev lint browser
	$(BIN)/pytest -n auto

# The report is tested in a real browser; Debian's is the one that installs by name. Where it cannot
# be had, its tests are skipped and say so.
browser:
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && apt-get update -qq && \
		  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		      chromium chromium-driver >/dev/null; } || \
		echo "chromium cannot be installed here: tests in a browser will be skipped"

# Training needs torch, which has a virtual environment of its own: nothing else may lean on it.
test-train: .venv-train/dev
	.venv-train/bin/pytest tests/training

# So has Ray: what runs without it must not find out what it is missing by an import. Its workers
# also meet an object store.
test-ray: .venv-ray/dev
	.venv-ray/bin/pytest tests/on_ray

# And object stores, with a real one on loopback that nothing else may meet.
test-storage: .venv-storage/dev
	.venv-storage/bin/pytest tests/storage

# Two test modules of one name, in whatever folders, and pytest collects nothing at all.
lint: .venv/dev
	@clash=$$(git ls-files --cached --others --exclude-standard 'tests/*.py' | sed 's|.*/||' | \
		grep -v '^conftest.py$$' | sort | uniq -d); \
		test -z "$$clash" || { echo "tests: two files have the name $$clash; rename one"; exit 1; }
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Speeds only: what measures protection wants a corpus and hours, and is run by hand.
bench: .venv/dev
	for script in benchmarks/*_speed.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# Ten minutes for each reader of strangers' bytes: make fuzz SECONDS=60 TARGETS="wav kaldi" for less.
# bash has a variable SECONDS of its own, and make must not take that one over.
ifneq ($(origin SECONDS),command line)
SECONDS := 600
endif
fuzz: .venv-fuzz/dev
	nice -n 10 .venv-fuzz/bin/python -m fuzz $(TARGETS) --seconds $(SECONDS)

# Every fault at every file operation of a small study; the suite tries a sample.
faults: .venv/dev
	$(BIN)/python tests/faults/every_fault.py

# Runs the notebooks of examples/ and keeps what they show.
notebooks: .venv/dev
	$(BIN)/python examples/execute.py

docs: reference
	$(BIN)/mkdocs build --strict

# The pages that are made from the code; a test fails when one of them is stale.
reference: .venv/dev
	$(BIN)/python docs/generate.py

# Locks what pyproject.toml asks for; versions stay as they are unless they no longer fit.
# `make lock UPGRADE=--upgrade` takes the newest.
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header --no-annotate $(UPGRADE)
# What speaks S3 (botocore) wants an older python-dateutil than everything else.
lock: .venv/dev
	$(COMPILE) pyproject.toml -o requirements/run.lock
	$(COMPILE) --group build -c requirements/run.lock -o requirements/build.lock
	$(COMPILE) --group scores -c requirements/run.lock -o requirements/scores.lock
	$(COMPILE) pyproject.toml --extra dev --extra docs --group build \
		-c requirements/run.lock -c requirements/build.lock -o requirements/dev.lock
	$(COMPILE) pyproject.toml --extra dev --extra train --group build --no-emit-package torch \
		-c requirements/dev.lock -o requirements/train.lock
	$(COMPILE) pyproject.toml --extra fuzz --group build -c requirements/dev.lock \
		-o requirements/fuzz.lock
	awk '/^[^ ]/ { keep = !/^python-dateutil==/ } keep' requirements/dev.lock > .venv/storage.in
	$(COMPILE) pyproject.toml --extra dev --extra ray --extra storage --group build \
		--group object-store -c .venv/storage.in -o requirements/ray.lock
	$(COMPILE) pyproject.toml --extra dev --extra storage --group build --group object-store \
		--group google-store -c .venv/storage.in -o requirements/storage.lock

licences: .venv/dev
	$(BIN)/python requirements/licences.py > docs/reference/licences.md

sbom: .venv/dev
	$(BIN)/python requirements/sbom.py dist/pseudovoice.cdx.json

clean:
	rm -rf .venv .venv-train .venv-fuzz .venv-ray .venv-storage build dist site demo-report demo-report.key*

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "pseudovoice needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv .venv

.venv/run: pyproject.toml requirements/run.lock requirements/build.lock | .venv/bin/python
	$(call install,$(BIN),run build)
	@touch $@

.venv/dev: pyproject.toml requirements/dev.lock | .venv/bin/python
	$(call install,$(BIN),dev,[dev$(,)docs])
	@touch $@ .venv/run

# Torch is outside the lock: which file is its version depends on where one installs from, and the
# usual one brings CUDA along. It comes by exact version, after everything else is there.
.venv-train/dev: pyproject.toml requirements/train.lock
	$(PYTHON) -m venv .venv-train
	$(call install,.venv-train/bin,train,[train$(,)dev])
	$(if $(LOCKED),.venv-train/bin/pip install --quiet --no-build-isolation -e '.[train]')
	@touch $@

.venv-fuzz/dev: pyproject.toml requirements/fuzz.lock
	$(PYTHON) -m venv .venv-fuzz
	$(call install,.venv-fuzz/bin,fuzz,[fuzz])
	@touch $@

.venv-ray/dev: pyproject.toml requirements/ray.lock
	$(PYTHON) -m venv .venv-ray
	$(call install,.venv-ray/bin,ray,[ray$(,)storage$(,)dev])
	$(if $(LOCKED),,.venv-ray/bin/pip install --quiet --group object-store)
	@touch $@

.venv-storage/dev: pyproject.toml requirements/storage.lock
	$(PYTHON) -m venv .venv-storage
	$(call install,.venv-storage/bin,storage,[storage$(,)dev])
	$(if $(LOCKED),,.venv-storage/bin/pip install --quiet --group object-store --group google-store)
	@touch $@
