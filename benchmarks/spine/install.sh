#!/bin/sh
# The default install from nothing: packages, size, and what importing and `--help` take beside bare Python.
#   sh benchmarks/spine/install.sh
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
${PYTHON:-python3} -m venv "$scratch/env"
bin=$scratch/env/bin
before=$(du -sk "$scratch/env" | cut -f1)
"$bin/pip" install --quiet --disable-pip-version-check "$here"
after=$(du -sk "$scratch/env" | cut -f1)
echo "packages: $("$bin/pip" list --format=freeze --disable-pip-version-check | grep -vcE '^(pip|setuptools)==')"
echo "size: $(((after - before) / 1024)) MB"
best() { # the least CPU and wall seconds of seven runs of a command
  i=0
  while [ $i -lt 7 ]; do /usr/bin/env time -f '%e %U %S' "$@" 2>&1 >/dev/null | tail -1; i=$((i + 1)); done |
    awk '{c=$2+$3; if (NR==1 || $1<w) w=$1; if (NR==1 || c<b) b=c} END {printf "%.2f s wall, %.2f s of CPU\n", w, b}'
}
echo "python -c pass: $(best "$bin/python" -c pass)"
echo "import ragstone: $(best "$bin/python" -c 'import ragstone')"
echo "ragstone --help: $(best "$bin/ragstone" --help)"
