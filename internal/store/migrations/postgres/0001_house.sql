-- +goose Up
CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- One row a kind of thing: its counter goes up with every change, so that other processes see it.
CREATE TABLE revisions (
  name TEXT PRIMARY KEY,
  n    BIGINT NOT NULL
);
INSERT INTO revisions (name, n) VALUES ('keys', 0);

CREATE TABLE workspaces (
  id         TEXT PRIMARY KEY,
  created_at BIGINT NOT NULL
);

CREATE TABLE keys (
  id           TEXT PRIMARY KEY,
  workspace    TEXT NOT NULL REFERENCES workspaces (id),
  name         TEXT NOT NULL,
  environment  TEXT NOT NULL,
  sandbox      BIGINT NOT NULL,
  scopes       TEXT NOT NULL,
  models       TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  expires_at   BIGINT NOT NULL,
  revoked_at   BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  hash         TEXT NOT NULL UNIQUE,
  old_hash     TEXT NOT NULL,
  old_until    BIGINT NOT NULL,
  revision     BIGINT NOT NULL
);
CREATE INDEX keys_by_revision ON keys (revision);
CREATE INDEX keys_by_workspace ON keys (workspace, created_at);

CREATE TABLE users (
  id         TEXT PRIMARY KEY,
  email      TEXT NOT NULL UNIQUE,
  password   TEXT NOT NULL,
  admin      BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE sessions (
  id         TEXT PRIMARY KEY,
  hash       TEXT NOT NULL UNIQUE,
  user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  workspace  TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  seen_at    BIGINT NOT NULL,
  remote     TEXT NOT NULL
);

CREATE TABLE audit (
  id        TEXT PRIMARY KEY,
  at        BIGINT NOT NULL,
  actor     TEXT NOT NULL,
  workspace TEXT NOT NULL,
  action    TEXT NOT NULL,
  target    TEXT NOT NULL,
  detail    TEXT NOT NULL
);
CREATE INDEX audit_by_workspace ON audit (workspace, at);
