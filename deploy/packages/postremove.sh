#!/bin/sh
set -e
# The data folder stays, also with `purge`: what is in it cannot be made again.
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
fi
