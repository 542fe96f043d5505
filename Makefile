# Two commands do everything on a fresh machine with Python >= 3.11 and make: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check --constraint requirements.txt
# Quicker than pip, which compiles all with one core; what is large and little used is compiled when it is.
COMPILE := $(BIN)/python -m compileall -q -j 0 -x '/(ray|transformers/models|sympy|graph_objs|_inductor|lexers|networkx|pip|setuptools|tests|testing)/' .venv/lib >/dev/null || true

# Tests make 30,000 files, and a disk takes some milliseconds to flush or to remove each: they lie in memory if it has room.
ROOM := $(shell [ "$$(df --output=avail /dev/shm 2>/dev/null | tail -1)" -gt 2000000 ] 2>/dev/null && echo /dev/shm || echo /tmp)
# Python keeps what it compiled, since the tests start many processes; a third worker for two cores, since browsers wait.
PYTEST := files=$$(mktemp -d $(ROOM)/examboard-tests-XXXXXX) && trap 'rm -rf "$$files"' EXIT && \
    PYTEST_DEBUG_TEMPROOT=$$files PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 3 --dist worksteal

.PHONY: run serve setup hooks test test-all test-fast fuzz lint container-check bench pictures live-page site wheel version hashes sbom licences audit clean

run: .venv/core
	$(BIN)/python -m exam_core demo
	$(BIN)/python -m exam_core open

# docs/how-to/serve-to-a-team.md says what SERVE may name: --roles, --secrets, --read-only, --host, --port.
serve: .venv/serving
	$(BIN)/python -m exam_core serve $(SERVE)

setup: .venv/everything

# `make lint` before each commit (.pre-commit-config.yaml).
hooks: .venv/tools
	.venv/tools/bin/pre-commit install

# SLOWEST=30 lists the thirty tests that took longest.
test: .venv/everything
	$(PYTEST) $(SLOWEST:%=--durations %)

test-all: .venv/everything
	export EXAMBOARD_STEPS_APART=1; $(PYTEST) -m ""

test-fast: .venv/everything
	$(PYTEST) tests/formats tests/measures tests/exam_numbers tests/charts tests/store tests/test_layers.py \
	    --ignore tests/formats/test_fuzzing.py --ignore tests/store/test_flipped_bits.py

# Damaged files at every reader, damaged texts at every place where some enter: the same for a commit, others for the next.
SECONDS ?= 30
fuzz: .venv/everything
	for script in fuzz fuzz_memory; do \
	    PYTHONPATH=. OMP_NUM_THREADS=1 $(BIN)/python benchmarks/$$script.py --seconds $(SECONDS) \
	        --seed $$(printf %d 0x$$(git rev-parse --short=7 HEAD)) || exit 1; \
	done

lint: .venv/everything
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell README.md CHANGELOG.md docs exam_core pages tests
	$(BIN)/mypy

# The image of Dockerfile without a daemon, on a bare Debian; as root, with buildah and mmdebstrap. GRADER=cuda: with torch.
container-check:
	$(PYTHON) .ci/containers.py $(GRADER)

bench: .venv/everything
	$(BIN)/python -m exam_core bench

# The documents' pictures, of today's pages; STORE has the collections demo, car-y3-published and dl19.
pictures: .venv/everything
	$(BIN)/python -m benchmarks.pictures $(STORE)

# The demo's leaderboards as one file that needs no server: the same bytes for the same source.
live-page: .venv/core
	$(BIN)/python -m exam_core.wings.live.demo_page > docs/demo.html

# The documents as pages with search, in dist/site; a link or an anchor that leads nowhere stops it.
site: .venv/tools
	.venv/tools/bin/python -m mkdocs build --clean --strict
	@echo "Open dist/site/index.html; for the search: $(BIN)/python -m http.server --bind 127.0.0.1 --directory dist/site"

# A wheel that works outside the repository, made of the source distribution beside it. Both say the commit's time, so
# that the same commit gives the same bytes.
wheel: .venv/tools
	SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} .venv/tools/bin/python -m build --outdir dist .

# Writes VERSION in every place that names one (docs/reference/versions.md says when which number rises).
version:
	$(PYTHON) .ci/version.py $(VERSION)

# Pins with the hashes of the public files; torch's are those of the public builds, not of a CPU build of one's own.
hashes: .venv/tools
	.venv/tools/bin/uv pip compile --quiet --generate-hashes --no-annotate --no-header --python-version 3.11 \
	    --output-file requirements-hashes.txt requirements.txt
	sed -i '1i # Made by `make hashes` of requirements.txt: pins with hashes, what they need on Linux with Python 3.11 included.' \
	    requirements-hashes.txt

# What is installed here, as CycloneDX.
sbom: .venv/tools .venv/everything
	mkdir -p dist
	.venv/tools/bin/python -m cyclonedx_py environment --pyproject pyproject.toml --output-format JSON \
	    --output-file dist/sbom.json $(BIN)/python

licences: .venv/everything
	$(BIN)/python .ci/licences.py

# Says "not audited" (and fails) where no advisory database can be reached; never "clean" without having looked.
audit: .venv/tools
	$(BIN)/python .ci/audit.py .venv/tools/bin/python

clean:
	rm -rf .venv build dist *.egg-info

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Examboard needs Python 3.11 or newer.")'
	$(PYTHON) -m venv .venv

.venv/core: .venv/bin/python requirements.txt pyproject.toml
	@echo "Installing the core (no model libraries) into .venv; this takes a minute the first time."
	$(PIP) --editable .
	@$(COMPILE)
	@touch $@

SERVING ?= serve
.venv/serving: .venv/core
	$(PIP) --editable '.[$(SERVING)]'
	@$(COMPILE)
	@touch $@

.venv/everything: .venv/bin/python requirements.txt pyproject.toml
	@echo "Installing everything, torch, transformers and ray too, into .venv; this takes some minutes the first time."
	$(PIP) --editable '.[grader,ray,serve,servers,dev]'
	@$(COMPILE)
	@touch .venv/core $@

# What only a release needs has an environment of its own.
.venv/tools: .venv/bin/python requirements-tools.txt
	rm -rf $@
	$(PYTHON) -m venv $@
	$@/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements-tools.txt
