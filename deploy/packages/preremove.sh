#!/bin/sh
set -e
# "remove" from dpkg, 0 from rpm: it goes. Anything else is an upgrade, and the server runs on until the new program is there.
case "$1" in
  remove | 0)
    if [ -d /run/systemd/system ]; then
      systemctl disable --now stele.service || true
    fi
    ;;
esac
