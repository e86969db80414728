-- +goose Up
-- What callers may take. The spec is JSON, as limit.Limit.
CREATE TABLE limits (
  id         TEXT NOT NULL PRIMARY KEY,
  workspace  TEXT NOT NULL, -- '' for all
  spec       TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
INSERT INTO revisions (name, n) VALUES ('limits', 0);

-- What was taken, by limit, subject and window. settled + leased + held + doubt never passes amount.
CREATE TABLE limit_counters (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  limit_id TEXT NOT NULL,
  subject  TEXT NOT NULL,
  start_at INTEGER NOT NULL,
  end_at   INTEGER NOT NULL, -- 0: never
  amount   INTEGER NOT NULL,
  settled  INTEGER NOT NULL DEFAULT 0,
  leased   INTEGER NOT NULL DEFAULT 0, -- to nodes, see limit_leases
  held     INTEGER NOT NULL DEFAULT 0, -- by tasks that have not ended
  doubt    INTEGER NOT NULL DEFAULT 0, -- was leased to nodes that never came back
  UNIQUE (limit_id, subject, start_at)
);
CREATE TABLE limit_leases (
  counter INTEGER NOT NULL,
  node    TEXT NOT NULL,
  amount  INTEGER NOT NULL,
  doubt   INTEGER NOT NULL DEFAULT 0,
  demand  INTEGER NOT NULL DEFAULT 0, -- of limits that slide: what the node asked for in a second
  told_at INTEGER NOT NULL DEFAULT 0, -- when it said so
  PRIMARY KEY (counter, node)
);
CREATE INDEX limit_leases_by_node ON limit_leases (node);
CREATE TABLE limit_nodes (
  id       TEXT NOT NULL PRIMARY KEY,
  seen_at  INTEGER NOT NULL,
  sequence INTEGER NOT NULL DEFAULT 0 -- of what it gave back last
);
-- Which thresholds were passed; each is told once.
CREATE TABLE limit_marks (
  counter INTEGER NOT NULL,
  mark    INTEGER NOT NULL, -- percent
  at      INTEGER NOT NULL,
  PRIMARY KEY (counter, mark)
);
-- What changed money but for requests: grants and their end, what is in doubt, what people settled.
CREATE TABLE ledger (
  id        TEXT NOT NULL PRIMARY KEY,
  at        INTEGER NOT NULL,
  workspace TEXT NOT NULL,
  counter   INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  nano      INTEGER NOT NULL,
  note      TEXT NOT NULL
);
CREATE INDEX ledger_by_counter ON ledger (counter, at);

-- Whom a request is charged to, and of which counters it has taken how much: 17:120000,18:1.
ALTER TABLE requests ADD COLUMN person TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN end_user TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN tags TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN charges TEXT NOT NULL DEFAULT '';
