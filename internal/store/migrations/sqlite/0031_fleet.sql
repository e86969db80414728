-- +goose Up
-- What servers tell each other of targets that are not well; whoever is well again is
-- taken out. A caller of '' is everybody.
CREATE TABLE target_states (
  provider   TEXT NOT NULL,
  model      TEXT NOT NULL,
  caller     TEXT NOT NULL,
  node       TEXT NOT NULL, -- who says so
  opened_at  INTEGER NOT NULL, -- 0: its breaker is closed
  until_at   INTEGER NOT NULL, -- then it is tried
  trier      TEXT NOT NULL, -- by this server; '': by one that claims it
  try_by     INTEGER NOT NULL, -- after which any may claim it
  wait_at    INTEGER NOT NULL, -- its provider asked not to be called before
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (provider, model, caller)
) STRICT, WITHOUT ROWID;

-- Failed sign-ins, by what they count for, which is kept as a hash.
CREATE TABLE signin_failures (
  name     TEXT NOT NULL PRIMARY KEY,
  failures INTEGER NOT NULL,
  last_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX signin_failures_by_age ON signin_failures (last_at);
