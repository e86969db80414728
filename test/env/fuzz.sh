#!/usr/bin/env bash
# Runs every fuzz test of the tree for the time given: fuzz.sh 10s
# Go fails a fuzz test now and then whose time is up while a worker still answers, and says "context deadline exceeded": that is no finding,
# of which it writes the input down.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

time=${1:-10s}
said=$(mktemp)
trap 'rm -f "$said"' EXIT
{ git grep --untracked -l '^func Fuzz' -- '*_test.go' || true; } | xargs -r dirname | sort -u | while read -r dir; do
  sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$dir"/*_test.go | while read -r name; do
    echo "== $dir $name"
    if ! go -C "$dir" test -vet=off -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 2s . </dev/null | tee "$said"; then
      if ! grep -q 'context deadline exceeded' "$said" || grep -q 'Failing input written' "$said"; then
        exit 1
      fi
    fi
  done
done
