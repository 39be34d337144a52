#!/bin/sh
# `ragstone search` from the shell, warm disk, beside `python -c 'import numpy, onnxruntime'` as the floor.
#   sh benchmarks/spine/shell.sh STORE [RUNS]
set -eu
store=$1 runs=${2:-7}
ragstone=${RAGSTONE:-ragstone} python=${PYTHON:-python3}
once() { /usr/bin/env time -f '%e %U %M' "$@" 2>&1 >/dev/null | tail -1; }
ragstone_once() { once "$ragstone" search "how does it work" --store "$store" -k 3 --json; }
floor_once() { once "$python" -c 'import numpy, onnxruntime'; }
ragstone_once >/dev/null; floor_once >/dev/null
for what in ragstone floor; do
  i=0
  while [ $i -lt "$runs" ]; do "${what}_once"; i=$((i + 1)); done | sort -n |
    awk -v w="$what" '{v[NR]=$0} END {split(v[int((NR+1)/2)], m, " "); printf "%s: median %ss wall, %ss user, %d MB\n", w, m[1], m[2], m[3]/1024}'
done
