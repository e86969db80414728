-- +goose Up
-- Ids sort by time, so the primary key finds the oldest as well.
CREATE TABLE requests (
  id             TEXT PRIMARY KEY,
  at             BIGINT NOT NULL,
  request        TEXT NOT NULL,
  workspace      TEXT NOT NULL,
  key            TEXT NOT NULL,
  environment    TEXT NOT NULL,
  route          TEXT NOT NULL,
  dialect        TEXT NOT NULL,
  model          TEXT NOT NULL,
  provider       TEXT NOT NULL,
  target         TEXT NOT NULL,
  stream         BIGINT NOT NULL,
  status         BIGINT NOT NULL,
  code           TEXT NOT NULL,
  tries          BIGINT NOT NULL,
  dropped        TEXT NOT NULL,
  input          BIGINT NOT NULL,
  cache_read     BIGINT NOT NULL,
  cache_write    BIGINT NOT NULL,
  cache_write_1h BIGINT NOT NULL,
  output         BIGINT NOT NULL,
  reasoning      BIGINT NOT NULL,
  estimated      BIGINT NOT NULL,
  nano           BIGINT NOT NULL,
  priced         BIGINT NOT NULL,
  first_byte     BIGINT NOT NULL,
  took           BIGINT NOT NULL
);
CREATE INDEX requests_by_workspace ON requests (workspace, at);

-- What each day used, so that charts never read the rows.
CREATE TABLE usage_days (
  day         BIGINT NOT NULL,
  workspace   TEXT NOT NULL,
  key         TEXT NOT NULL,
  environment TEXT NOT NULL,
  model       TEXT NOT NULL,
  provider    TEXT NOT NULL,
  target      TEXT NOT NULL,
  status      BIGINT NOT NULL,
  requests    BIGINT NOT NULL,
  input       BIGINT NOT NULL,
  cache_read  BIGINT NOT NULL,
  cache_write BIGINT NOT NULL,
  output      BIGINT NOT NULL,
  reasoning   BIGINT NOT NULL,
  nano        BIGINT NOT NULL,
  took        BIGINT NOT NULL,
  PRIMARY KEY (workspace, day, key, environment, model, provider, target, status)
);
