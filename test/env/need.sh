#!/usr/bin/env bash
# Installs the Debian packages the tests need and this machine lacks. Touches nothing when all are there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source-path=SCRIPTDIR
source ./find.sh

# Keep Debian from starting a database and a pooler of its own when their packages are installed: the tests start theirs.
no_cluster=/etc/postgresql-common/createcluster.d/stele-test.conf
no_daemons=/usr/sbin/policy-rc.d
log=

main() {
  if ! command -v go >/dev/null; then
    die "Go is missing: the tests need the version that go.mod names."
  fi
  local packages=()
  find_compiler >/dev/null || packages+=(gcc libc6-dev)
  find_postgres >/dev/null || packages+=(postgresql)
  find_pgbouncer >/dev/null || packages+=(pgbouncer)
  command -v npm >/dev/null || packages+=(npm nodejs)
  find_chromium >/dev/null || packages+=("$(chromium_package)" chromium-sandbox fonts-liberation)
  if ((${#packages[@]} == 0)); then
    return
  fi
  if [[ ! -e /etc/debian_version ]] || ! command -v apt-get >/dev/null; then
    die "the tests need the equivalent of the Debian packages ${packages[*]}; only Debian and Ubuntu are installed to by this script."
  fi
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    die "the tests need the packages ${packages[*]}: run this as root, or install sudo."
  fi
  echo "installing ${packages[*]}"
  install_packages "${packages[@]}"
  if ! { find_compiler && find_postgres && find_pgbouncer && command -v npm && find_chromium; } >/dev/null; then
    die "the packages are installed, but a program they should bring is missing."
  fi
}

install_packages() {
  log=$(mktemp)
  trap 'rm -f "$log"; as_root rm -f "$no_cluster"' EXIT
  if [[ ! -e $no_daemons ]]; then
    trap 'rm -f "$log"; as_root rm -f "$no_cluster" "$no_daemons"' EXIT
    as_root tee "$no_daemons" >/dev/null <<<$'#!/bin/sh\nexit 101'
    as_root chmod 755 "$no_daemons"
  fi
  as_root mkdir -p "$(dirname "$no_cluster")"
  as_root tee "$no_cluster" >/dev/null <<<"create_main_cluster = false"
  if ! { apt_get update && apt_get install -y --no-install-recommends "$@"; } >"$log" 2>&1; then
    cat "$log" >&2
    die "apt-get could not install $*."
  fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

# Ubuntu has Chromium as a snap only, under its old name; where snaps do not run, STELE_TEST_CHROMIUM names another one.
chromium_package() {
  if grep -q '^ID=ubuntu' /etc/os-release; then echo chromium-browser; else echo chromium; fi
}

die() {
  echo "make test: $*" >&2
  exit 1
}

main
