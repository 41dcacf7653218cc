# Everything runs in .venv, which is made on first use and again when pyproject.toml changes.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-train browser lint bench docs clean

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

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Speeds only: what measures protection wants a corpus and hours, and is run by hand.
bench: .venv/dev
	for script in benchmarks/*_speed.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

docs: .venv/dev
	$(BIN)/pip install --quiet -e '.[docs]'
	$(BIN)/mkdocs build --strict

clean:
	rm -rf .venv .venv-train build dist site demo-report demo-report.key*

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "pseudovoice needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv .venv

.venv/run: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet -e .
	@touch $@

.venv/dev: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet -e '.[dev]'
	@touch $@ .venv/run

.venv-train/dev: pyproject.toml
	$(PYTHON) -m venv .venv-train
	.venv-train/bin/pip install --quiet -e '.[train,dev]'
	@touch $@
