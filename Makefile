# make book           set up, execute the chapters (PROFILE=quick|paper), render; prints the page to open
#                     SOLUTIONS=no leaves out the solutions of the exercises; STRICT=yes stops at a failure
# make test           set up and run the tests; after make book also those of its pages
# make test-all       make book and make test, then what takes long: browsers, otter-grader, long statistics
# make live           put Python into the pages of the built book (SOURCE=index|FOLDER)
# make slides         the slides of the six sessions, after make book (HTML, and PDF where there is a Chromium)
# make course-public  the repository for students: no solutions, keys or bank (PUBLIC=FOLDER)
#                     SOLUTIONS=yes keeps the solutions of the book's exercises
# make bench          benchmarks; make compare: agreement with other libraries (own environment)
# make lock           write locks/ from pyproject.toml (UPGRADE='--upgrade-package NAME' to renew one, -U all)
# make clean          delete what was built, and the environments
#
# Python (3.11 to 3.14) and a package index are enough. All else is called directly; .ci/run shows how.
# Variables are those of the command line (make book PROFILE=paper): what a shell exports changes nothing.
unexport PYTHONHOME PYTHONOPTIMIZE PYTHONPATH PYTHONSTARTUP PYTHONWARNINGS
SOLUTIONS =
STRICT  =
UPGRADE =
PYTHON  = python3.11 python3.12 python3.13 python3.14 python3
VENV    = .venv
BIN    := $(VENV)/bin
PROFILE = quick
# three processes fill two cores, since kernels, browsers and clones also wait
WORKERS = 3
INSTALL := -m pip install --quiet --disable-pip-version-check --no-deps
SITE    := "import sysconfig; print(sysconfig.get_path('purelib', vars={'base': ''}))"
# so that a clone that is moved or copied with its environment imports its own code
RELATIVE := "import os, pathlib, sysconfig; site = sysconfig.get_path('purelib'); pathlib.Path(site, '_who_pays_for_privacy.pth').write_text(os.path.relpath('.', site))"
LOCK    := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --custom-compile-command "make lock" $(UPGRADE)

.PHONY: book test test-all live slides bench compare lock course-public clean

# the first of PYTHON that is there, fits and can make an environment; then what the lock names, each file checked by its hash, and the package itself
$(VENV)/.made: locks/dev.txt pyproject.toml
	@for py in $(PYTHON); do \
	  $$py -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))' 2>/dev/null && exec $$py -m venv $(VENV); \
	done; echo "Python 3.11 to 3.14 is needed: make PYTHON=/path/to/python3"; exit 1
	$(BIN)/python $(INSTALL) --require-hashes -r $<
	$(BIN)/python $(INSTALL) --no-build-isolation -e .
	@$(BIN)/python -c $(RELATIVE)
	@touch $@

book: $(VENV)/.made
	$(BIN)/python -m lib book --profile $(PROFILE) --workers $(WORKERS) $(if $(filter no,$(SOLUTIONS)),--without-solutions) $(if $(filter yes,$(STRICT)),--strict)

slides: $(VENV)/.made
	$(BIN)/python -m lib course slides

# official Pyodide as scripts in the built book: from a package of the index, or a folder; every file is checked
SOURCE = index
WITHOUT := _build/without_solutions/_build/html
live: $(VENV)/.made
	$(BIN)/python -m lib live --source $(SOURCE) $(if $(filter no,$(SOLUTIONS)),--html $(WITHOUT))

# the repository as students may have it: the last commit without solutions, keys and bank
PUBLIC = _build/public
course-public: $(VENV)/.made
	rm -rf $(PUBLIC)
	$(BIN)/python -m lib course public --out $(PUBLIC) $(if $(filter yes,$(SOLUTIONS)),--solutions)

# what is in which: tests/parts.py
PYTEST = $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal
test: $(VENV)/.made
	$(PYTEST)

test-all: book test $(VENV)-course/.made
	$(PYTEST) -m "thorough and not slow and not compare"

# otter-grader and what it needs beyond the book's packages, which it finds through a path file: a notebook is marked by
# the versions that the book runs with (make .venv-course/.made)
$(VENV)-course/.made: locks/course.txt $(VENV)/.made
	$(BIN)/python -m venv $(VENV)-course
	$(VENV)-course/bin/python $(INSTALL) --require-hashes -r $<
	site="$$($(BIN)/python -c $(SITE))"; \
	  echo "import site, sys; site.addsitedir(sys.prefix.removesuffix('-course') + '$$site')" > "$(VENV)-course$$site/book.pth"
	@touch $@

bench: $(VENV)-compare/.made
	@mkdir -p _build
	$(VENV)-compare/bin/python -m pytest benchmarks -q -o addopts="" -o filterwarnings="" --benchmark-only --benchmark-json=_build/benchmark.json
	$(VENV)-compare/bin/python -m benchmarks.report _build/benchmark.json

$(VENV)-compare/.made: locks/compare.txt $(VENV)/.made
	$(BIN)/python -m venv $(VENV)-compare
	$(VENV)-compare/bin/python $(INSTALL) --require-hashes -r $<
	$(VENV)-compare/bin/python $(INSTALL) --no-build-isolation -e .
	@$(VENV)-compare/bin/python -c $(RELATIVE)
	@touch $@

compare: $(VENV)-compare/.made
	$(VENV)-compare/bin/python -m pytest -q -m compare -o filterwarnings="" tests/compare

# versions that are in a lock stay, if they fit, until UPGRADE names them; the other locks follow that of the book
lock: $(VENV)/.made
	$(LOCK) --generate-hashes pyproject.toml --all-extras --group dev -o locks/dev.txt
	{ printf '# The environment of the book, with the pins of locks/dev.txt. Written by: make lock\n-e .\n'; \
	  sed -n 's/^\([a-z0-9._-]*==[^\\]*[^\\ ]\).*/\1/p' locks/dev.txt; } > requirements.txt
	$(LOCK) --generate-hashes pyproject.toml --extra synth --extra run --group compare -c locks/dev.txt -o locks/compare.txt
	$(LOCK) --generate-hashes --group pyproject.toml:course -c locks/dev.txt -o locks/course.txt \
	  $$(sed -n 's/^\([a-z0-9._-]*\)==.*/--no-emit-package \1/p' locks/dev.txt)
	$(LOCK) --generate-hashes pyproject.toml --group students -c locks/dev.txt -c locks/course.txt -o locks/students.txt
	$(LOCK) --generate-hashes pyproject.toml --extra synth -c locks/dev.txt -o locks/students-synth.txt \
	  $$(sed -n 's/^\([a-z0-9._-]*\)==.*/--no-emit-package \1/p' locks/students.txt)
	for name in opendp dpmm; do \
	  $(LOCK) --generate-hashes --group pyproject.toml:reference-$$name -o locks/reference-$$name.txt || exit 1; \
	done

clean:
	rm -rf _build $(VENV) $(VENV)-compare $(VENV)-course $(VENV)-reference-* .pytest_cache .hypothesis .mypy_cache
