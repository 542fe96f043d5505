# Two commands do everything on a fresh machine with Python >= 3.11 and make: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.txt

# Python keeps what it compiled, since the tests start many processes; a worker for each of two cores.
PYTEST := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: run setup test test-all test-fast lint bench clean

run: .venv/core
	$(BIN)/python -m exam_core demo
	$(BIN)/python -m exam_core open

setup: .venv/everything

test: .venv/everything
	$(PYTEST)

test-all: .venv/everything
	EXAMBOARD_STEPS_APART=1 $(PYTEST) -m ""

test-fast: .venv/everything
	$(PYTEST) tests/formats tests/measures tests/charts tests/store tests/test_layers.py

lint: .venv/everything
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/everything
	$(BIN)/python -m exam_core bench

clean:
	rm -rf .venv build *.egg-info

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Examboard needs Python 3.11 or newer.")'
	$(PYTHON) -m venv .venv

.venv/core: .venv/bin/python requirements.txt pyproject.toml
	@echo "Installing the core (no model libraries) into .venv; this takes a minute the first time."
	$(PIP) --editable .
	@touch $@

.venv/everything: .venv/bin/python requirements.txt pyproject.toml
	@echo "Installing everything, torch, transformers and ray too, into .venv; this takes some minutes the first time."
	$(PIP) --editable '.[grader,int8,ray,dev]'
	@touch .venv/core $@
