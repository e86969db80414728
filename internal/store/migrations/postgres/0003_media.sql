-- +goose Up
-- Processes that share the database. One that has not been seen for a while is dead.
CREATE TABLE nodes (
  id      TEXT PRIMARY KEY,
  seen_at BIGINT NOT NULL
);

CREATE TABLE generations (
  id          TEXT PRIMARY KEY,
  workspace   TEXT NOT NULL,
  key         TEXT NOT NULL,
  environment TEXT NOT NULL,
  sandbox     BIGINT NOT NULL,
  app         TEXT NOT NULL,
  model       TEXT NOT NULL,
  media_type  TEXT NOT NULL,
  mode        TEXT NOT NULL,
  provider    TEXT NOT NULL,
  ordered     TEXT NOT NULL, -- JSON
  webhook     TEXT NOT NULL,
  state       TEXT NOT NULL,
  stage       TEXT NOT NULL,
  ticket      BYTEA NOT NULL,
  progress    DOUBLE PRECISION NOT NULL,
  tries       BIGINT NOT NULL,
  collects    BIGINT NOT NULL,
  owner       TEXT NOT NULL,
  outputs     TEXT NOT NULL, -- JSON
  code        TEXT NOT NULL,
  message     TEXT NOT NULL,
  nano        BIGINT NOT NULL,
  credits     BIGINT NOT NULL,
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  asked_at    BIGINT NOT NULL,
  not_before  BIGINT NOT NULL,
  deadline    BIGINT NOT NULL,
  ended_at    BIGINT NOT NULL,
  version     BIGINT NOT NULL,
  stopping    BIGINT NOT NULL
);
CREATE INDEX generations_by_workspace ON generations (workspace, created_at, id);
CREATE INDEX generations_by_end ON generations (ended_at) WHERE stage = 'ended';
CREATE INDEX generations_by_key ON generations (key, stage) WHERE stage <> 'ended';
CREATE INDEX generations_by_owner ON generations (owner, stage) WHERE stage <> 'ended';
CREATE INDEX generations_stopping ON generations (owner) WHERE stopping = 1 AND stage <> 'ended';

CREATE TABLE files (
  id         TEXT PRIMARY KEY,
  workspace  TEXT NOT NULL,
  state      TEXT NOT NULL,
  blob       TEXT NOT NULL,
  name       TEXT NOT NULL,
  kind       TEXT NOT NULL,
  type       TEXT NOT NULL,
  size       BIGINT NOT NULL,
  sha256     TEXT NOT NULL,
  width      BIGINT NOT NULL,
  height     BIGINT NOT NULL,
  duration   DOUBLE PRECISION NOT NULL,
  generation TEXT NOT NULL,
  place      BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX files_by_workspace ON files (workspace, created_at, id);
CREATE INDEX files_by_generation ON files (generation, place) WHERE generation <> '';
CREATE INDEX files_by_expiry ON files (expires_at, id) WHERE state <> 'doomed';
CREATE INDEX files_doomed ON files (expires_at, id) WHERE state = 'doomed';

-- The files that unfinished generations need.
CREATE TABLE file_uses (
  file       TEXT NOT NULL,
  generation TEXT NOT NULL,
  PRIMARY KEY (file, generation)
);
CREATE INDEX file_uses_by_generation ON file_uses (generation);

-- Idempotency keys and the answers given under them.
CREATE TABLE claims (
  workspace   TEXT NOT NULL,
  route       TEXT NOT NULL,
  key         TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  id          TEXT NOT NULL,
  owner       TEXT NOT NULL,
  turn        BIGINT NOT NULL,
  since       BIGINT NOT NULL,
  status      BIGINT NOT NULL, -- 0: not answered yet
  type        TEXT NOT NULL,
  body        BYTEA NOT NULL,
  PRIMARY KEY (workspace, route, key)
);
CREATE INDEX claims_by_age ON claims (since);

-- Webhooks: one row a message.
CREATE TABLE deliveries (
  id           TEXT PRIMARY KEY,
  workspace    TEXT NOT NULL,
  subject      TEXT NOT NULL,
  type         TEXT NOT NULL,
  url          TEXT NOT NULL,
  body         BYTEA NOT NULL,
  state        TEXT NOT NULL,
  tries        BIGINT NOT NULL,
  status       BIGINT NOT NULL,
  problem      TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  tried_at     BIGINT NOT NULL,
  delivered_at BIGINT NOT NULL
);
CREATE INDEX deliveries_by_workspace ON deliveries (workspace, created_at, id);
CREATE INDEX deliveries_by_age ON deliveries (created_at, id);

-- What webhooks are signed with, sealed. The old secret signs too until its time is over.
CREATE TABLE webhook_secrets (
  workspace TEXT PRIMARY KEY,
  secret    TEXT NOT NULL,
  old       TEXT NOT NULL,
  old_until BIGINT NOT NULL
);

-- What the sandbox accepted, as any provider would keep it. Rows are only added.
CREATE TABLE sandbox_journal (
  seq  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key  TEXT NOT NULL,
  at   BIGINT NOT NULL,
  life BYTEA NOT NULL
);
CREATE INDEX sandbox_journal_by_key ON sandbox_journal (key);
