#!/bin/sh
# Makes the secrets of three.yaml, once. Keep secrets/master apart from backups of the database: both together open everything.
set -eu
cd "$(dirname "$0")"
if [ -e secrets/master ]; then
  echo "the secrets are there already" >&2
  exit 1
fi
umask 077
mkdir -p secrets
random() { od -An -N "$1" -tx1 /dev/urandom | tr -d ' \n'; }
random 32 >secrets/master
random 12 >secrets/admin
random 24 >secrets/postgres
key=$(random 10)
secret=$(random 20)
printf 'postgres://stele:%s@postgres:5432/stele?sslmode=disable' "$(cat secrets/postgres)" >secrets/database
printf 's3://%s:%s@stele?endpoint=http://storage:7070&path_style=true' "$key" "$secret" >secrets/blobs
printf 'ROOT_ACCESS_KEY=%s\nROOT_SECRET_KEY=%s\n' "$key" "$secret" >secrets/storage.env
# User 65532 of the containers reads them through a bind mount.
chmod 755 secrets
chmod 644 secrets/*
echo "admin@example.com signs in with $(cat secrets/admin)"
