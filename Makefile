# Two commands need nothing but Python 3.11 and a package index:  make book  ·  make test
PYTHON ?= python3.11
VENV   ?= .venv
BIN    := $(VENV)/bin
PROFILE ?= quick
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help book test test-slow bench compare reference pairs replicas clean

help:
	@echo "make book       set up, execute the chapters (PROFILE=quick|paper), render; prints the page to open"
	@echo "make test       set up and run the tests (WORKERS=2 processes)"
	@echo "make test-slow  the tests marked slow"
	@echo "make bench      benchmarks; make compare: agreement with other libraries (own environment)"
	@echo "make reference  our MST and AIM beside other people's (an environment for each; under an hour)"
	@echo "make pairs      write the .ipynb of every chapter from its .md"
	@echo "make replicas   make the embedded replicas anew from the real data"

# python3.11 where there is one, else python3 if that is 3.11
$(VENV)/.made: requirements.txt requirements-test.txt
	@py=$$(command -v $(PYTHON) || command -v python3) && \
	  $$py -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
	  { echo "Python 3.11 is needed: make PYTHON=/path/to/python3.11"; exit 1; }; \
	  $$py -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt -r requirements-test.txt
	@touch $@

book: $(VENV)/.made
	$(BIN)/python -m lib book --profile $(PROFILE) --workers $(WORKERS)

test: $(VENV)/.made
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

test-slow: $(VENV)/.made
	$(BIN)/python -m pytest -q -m slow

bench: $(VENV)-compare/.made
	@mkdir -p _build
	$(VENV)-compare/bin/python -m pytest benchmarks -q -o addopts="" -o filterwarnings="" --benchmark-only --benchmark-json=_build/benchmark.json
	$(VENV)-compare/bin/python -m benchmarks.report _build/benchmark.json

$(VENV)-compare/.made: requirements.txt requirements-test.txt requirements-compare.txt $(VENV)/.made
	$(BIN)/python -m venv $(VENV)-compare
	$(VENV)-compare/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-compare.txt
	@touch $@

compare: $(VENV)-compare/.made
	$(VENV)-compare/bin/python -m pytest -q -m compare -o filterwarnings="" tests/compare

$(VENV)-reference-%/.made: requirements-reference-%.txt $(VENV)/.made
	$(BIN)/python -m venv $(VENV)-reference-$*
	$(VENV)-reference-$*/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

reference: $(VENV)-reference-opendp/.made $(VENV)-reference-dpmm/.made
	$(BIN)/python -W ignore -m benchmarks.reference plan
	$(VENV)-reference-opendp/bin/python -W ignore benchmarks/reference_fit.py opendp _build/reference
	$(VENV)-reference-dpmm/bin/python -W ignore benchmarks/reference_fit.py dpmm _build/reference
	$(BIN)/python -W ignore -m benchmarks.reference score

pairs: $(VENV)/.made
	$(BIN)/python -m lib book --pairs

replicas: $(VENV)/.made
	$(BIN)/python -m lib.studies.replicas.make

clean:
	rm -rf _build $(VENV) $(VENV)-compare $(VENV)-reference-* .pytest_cache .hypothesis
