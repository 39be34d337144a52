#!/bin/sh
# The demo: real documentation in, three questions asked, one citation followed.
#   sh demo/run.sh RAGSTONE [STORE]
set -eu
ragstone=${1:-ragstone}
cd "$(dirname "$0")/.."
store=${2:-demo/.ragstone}
export RAGSTONE_STORE="embedded:$store"

say() { printf '\n# %s\n' "$1"; }
run() { # prints the command as one would type it, then runs it
  printf '$ ragstone'
  for word in "$@"; do
    case $word in *[!A-Za-z0-9_./-]*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
  done
  printf '\n'
  "$ragstone" "$@"
}

rm -rf "$store"
printf '# 31 pages of the Prometheus documentation become a collection. No server, no key, no network.\n'
run ingest demo/docs

say 'A plain fact: quoted, with the lines where it stands.'
answer=$(run ask "What is the default scrape timeout?")
printf '%s\n' "$answer"

say 'The citation, followed.'
place=$(printf '%s\n' "$answer" | sed -n 's/^\[1\] \(.*\):\([0-9][0-9-]*\) · quoted$/\1 \2/p')
run show "${place% *}" --lines "${place##* }"

say 'Two questions in one: each half stands in another document.'
run ask "Which OTLP strategy leaves metric names as they are, and how are names outside the recommended characters written?"

say 'A question that these documents do not answer: no answer is made up.'
run ask "Which flag turns the Zipkin receiver on?"

printf '\n# Ask your own: %s ask "…" --store %s\n' "$ragstone" "$store"
