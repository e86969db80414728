#!/usr/bin/env bash
# All of `make release`: tools/release/release.sh FOLDER
set -euo pipefail
out=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# The same bytes need the same compiler. Another version of Go fetches this one.
export GOTOOLCHAIN=go1.26.8
export GOFLAGS= CGO_ENABLED=0

# DRAFT=1: it is not to be handed out, and the schema of the version need not be kept.
# In a tree that was exported from git the caller says which commit it is.
commit=${COMMIT:-$(git rev-parse HEAD)}
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
if [[ -z ${COMMIT:-} && -n $(git status --porcelain --untracked-files=no) ]]; then
  commit+=-changed
fi
draft=()
[[ -z ${DRAFT:-} ]] || draft=(-draft)
exec go -C tools/release run . -root ../.. -out "$out" -commit "$commit" -epoch "$epoch" -only "${ONLY:-}" "${draft[@]}"
