-- +goose Up
ALTER TABLE requests ADD COLUMN path TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN rates TEXT NOT NULL DEFAULT '';

-- Indexes of what is rare: an index of all rows costs every request some of its
-- time. Our own request ids tell where the row is; see search.go.
CREATE INDEX requests_by_request ON requests (workspace, request) WHERE length(request) <> 30 OR substr(request, 1, 4) NOT IN ('req_', 'gen_');
CREATE INDEX requests_by_code ON requests (workspace, code, at, id) WHERE code <> '';
CREATE INDEX requests_refused ON requests (workspace, at, id) WHERE status >= 400 AND status < 500;
CREATE INDEX requests_failed ON requests (workspace, at, id) WHERE status >= 500;

-- In which hours there are requests of a key, a model and so on, so that the rest
-- need not be looked through.
CREATE TABLE request_hours (
  workspace TEXT NOT NULL,
  dim       TEXT NOT NULL,
  name      TEXT NOT NULL,
  hour      INTEGER NOT NULL,
  PRIMARY KEY (workspace, dim, name, hour)
) STRICT, WITHOUT ROWID;
INSERT INTO request_hours SELECT DISTINCT workspace, 'key', key, at / 3600000 * 3600000 FROM requests;
INSERT INTO request_hours SELECT DISTINCT workspace, 'model', model, at / 3600000 * 3600000 FROM requests;
INSERT INTO request_hours SELECT DISTINCT workspace, 'provider', provider, at / 3600000 * 3600000 FROM requests;
INSERT INTO request_hours SELECT DISTINCT workspace, 'dialect', dialect, at / 3600000 * 3600000 FROM requests;
INSERT INTO request_hours SELECT DISTINCT workspace, 'stream', CAST(stream AS TEXT), at / 3600000 * 3600000 FROM requests;

-- usage_days added up by one thing at a time: days times keys times models are many.
CREATE TABLE usage_groups (
  workspace   TEXT NOT NULL,
  dim         TEXT NOT NULL,
  day         INTEGER NOT NULL,
  environment TEXT NOT NULL,
  name        TEXT NOT NULL,
  requests    INTEGER NOT NULL,
  failed      INTEGER NOT NULL,
  input       INTEGER NOT NULL,
  cache_read  INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  output      INTEGER NOT NULL,
  reasoning   INTEGER NOT NULL,
  nano        INTEGER NOT NULL,
  took        INTEGER NOT NULL,
  PRIMARY KEY (workspace, dim, day, environment, name)
) STRICT, WITHOUT ROWID;
INSERT INTO usage_groups SELECT workspace, 'key', day, environment, key, SUM(requests), SUM(CASE WHEN status >= 400 THEN requests ELSE 0 END),
  SUM(input), SUM(cache_read), SUM(cache_write), SUM(output), SUM(reasoning), SUM(nano), SUM(took) FROM usage_days GROUP BY workspace, day, environment, key;
INSERT INTO usage_groups SELECT workspace, 'model', day, environment, model, SUM(requests), SUM(CASE WHEN status >= 400 THEN requests ELSE 0 END),
  SUM(input), SUM(cache_read), SUM(cache_write), SUM(output), SUM(reasoning), SUM(nano), SUM(took) FROM usage_days GROUP BY workspace, day, environment, model;
INSERT INTO usage_groups SELECT workspace, 'provider', day, environment, provider, SUM(requests), SUM(CASE WHEN status >= 400 THEN requests ELSE 0 END),
  SUM(input), SUM(cache_read), SUM(cache_write), SUM(output), SUM(reasoning), SUM(nano), SUM(took) FROM usage_days GROUP BY workspace, day, environment, provider;
INSERT INTO usage_groups SELECT workspace, 'status', day, environment, CAST(status AS TEXT), SUM(requests), SUM(CASE WHEN status >= 400 THEN requests ELSE 0 END),
  SUM(input), SUM(cache_read), SUM(cache_write), SUM(output), SUM(reasoning), SUM(nano), SUM(took) FROM usage_days GROUP BY workspace, day, environment, status;
CREATE INDEX usage_days_by_key ON usage_days (workspace, key, day);
CREATE INDEX usage_days_by_model ON usage_days (workspace, model, day);

-- What was said, if the operator wants it kept. Small by its budget.
CREATE TABLE request_bodies (
  id           TEXT PRIMARY KEY,
  at           INTEGER NOT NULL,
  workspace    TEXT NOT NULL,
  request      TEXT NOT NULL,
  request_size INTEGER NOT NULL,
  reply        TEXT NOT NULL,
  reply_size   INTEGER NOT NULL,
  bytes        INTEGER NOT NULL
) STRICT;
CREATE INDEX request_bodies_by_time ON request_bodies (at, id, bytes);
