-- +goose Up
-- Ids sort by time, so the primary key finds the oldest as well.
CREATE TABLE requests (
  id             TEXT PRIMARY KEY,
  at             INTEGER NOT NULL,
  request        TEXT NOT NULL,
  workspace      TEXT NOT NULL,
  key            TEXT NOT NULL,
  environment    TEXT NOT NULL,
  route          TEXT NOT NULL,
  dialect        TEXT NOT NULL,
  model          TEXT NOT NULL,
  provider       TEXT NOT NULL,
  target         TEXT NOT NULL,
  stream         INTEGER NOT NULL,
  status         INTEGER NOT NULL,
  code           TEXT NOT NULL,
  tries          INTEGER NOT NULL,
  dropped        TEXT NOT NULL,
  input          INTEGER NOT NULL,
  cache_read     INTEGER NOT NULL,
  cache_write    INTEGER NOT NULL,
  cache_write_1h INTEGER NOT NULL,
  output         INTEGER NOT NULL,
  reasoning      INTEGER NOT NULL,
  estimated      INTEGER NOT NULL,
  nano           INTEGER NOT NULL,
  priced         INTEGER NOT NULL,
  first_byte     INTEGER NOT NULL,
  took           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_by_workspace ON requests (workspace, at);

-- What each day used, so that charts never read the rows.
CREATE TABLE usage_days (
  day         INTEGER NOT NULL,
  workspace   TEXT NOT NULL,
  key         TEXT NOT NULL,
  environment TEXT NOT NULL,
  model       TEXT NOT NULL,
  provider    TEXT NOT NULL,
  target      TEXT NOT NULL,
  status      INTEGER NOT NULL,
  requests    INTEGER NOT NULL,
  input       INTEGER NOT NULL,
  cache_read  INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  output      INTEGER NOT NULL,
  reasoning   INTEGER NOT NULL,
  nano        INTEGER NOT NULL,
  took        INTEGER NOT NULL,
  PRIMARY KEY (workspace, day, key, environment, model, provider, target, status)
) STRICT, WITHOUT ROWID;
