#!/bin/sh
set -e
# The first word is "configure" from dpkg, a number from rpm.
if ! getent passwd stele >/dev/null; then
  if command -v systemd-sysusers >/dev/null; then
    systemd-sysusers stele.conf
  else
    useradd --system --user-group --home-dir /var/lib/stele --no-create-home --shell /usr/sbin/nologin stele
  fi
fi
chown root:stele /etc/stele/stele.yaml /etc/stele/environment
if [ ! -d /var/lib/stele ]; then
  install -d -m 0700 -o stele -g stele /var/lib/stele
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  # A server that runs goes on with the new program; a new one is started by its administrator.
  systemctl try-restart stele.service || true
fi
