#!/usr/bin/env bash
# Our MST and AIM beside other people's, each in an environment of its own; takes under an hour.
set -euo pipefail
cd "$(dirname "$0")/.."
.venv/bin/python -W ignore -m benchmarks.reference plan
for name in opendp dpmm; do
  python=".venv-reference-$name/bin/python"
  [ -x "$python" ] || .venv/bin/python -m venv ".venv-reference-$name"
  "$python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r "locks/reference-$name.txt"
  "$python" -W ignore benchmarks/reference_fit.py "$name" _build/reference
done
.venv/bin/python -W ignore -m benchmarks.reference score
