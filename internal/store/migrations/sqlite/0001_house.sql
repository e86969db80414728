-- +goose Up
CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row a kind of thing: its counter goes up with every change, so that other processes see it.
CREATE TABLE revisions (
  name TEXT PRIMARY KEY,
  n    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO revisions (name, n) VALUES ('keys', 0);

CREATE TABLE workspaces (
  id         TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
  id           TEXT PRIMARY KEY,
  workspace    TEXT NOT NULL REFERENCES workspaces (id),
  name         TEXT NOT NULL,
  environment  TEXT NOT NULL,
  sandbox      INTEGER NOT NULL,
  scopes       TEXT NOT NULL,
  models       TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  revoked_at   INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  hash         TEXT NOT NULL UNIQUE,
  old_hash     TEXT NOT NULL,
  old_until    INTEGER NOT NULL,
  revision     INTEGER NOT NULL
) STRICT;
CREATE INDEX keys_by_revision ON keys (revision);
CREATE INDEX keys_by_workspace ON keys (workspace, created_at);

CREATE TABLE users (
  id         TEXT PRIMARY KEY,
  email      TEXT NOT NULL UNIQUE,
  password   TEXT NOT NULL,
  admin      INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
  id         TEXT PRIMARY KEY,
  hash       TEXT NOT NULL UNIQUE,
  user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  workspace  TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  remote     TEXT NOT NULL
) STRICT;

CREATE TABLE audit (
  id        TEXT PRIMARY KEY,
  at        INTEGER NOT NULL,
  actor     TEXT NOT NULL,
  workspace TEXT NOT NULL,
  action    TEXT NOT NULL,
  target    TEXT NOT NULL,
  detail    TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_workspace ON audit (workspace, at);
