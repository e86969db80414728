-- +goose Up
-- What callers may take. The spec is JSON, as limit.Limit.
CREATE TABLE limits (
  id         TEXT NOT NULL PRIMARY KEY,
  workspace  TEXT NOT NULL, -- '' for all
  spec       TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
INSERT INTO revisions (name, n) VALUES ('limits', 0);

-- What was taken, by limit, subject and window. settled + leased + held + doubt never passes amount.
CREATE TABLE limit_counters (
  id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  limit_id TEXT NOT NULL,
  subject  TEXT NOT NULL,
  start_at BIGINT NOT NULL,
  end_at   BIGINT NOT NULL, -- 0: never
  amount   BIGINT NOT NULL,
  settled  BIGINT NOT NULL DEFAULT 0,
  leased   BIGINT NOT NULL DEFAULT 0, -- to nodes, see limit_leases
  held     BIGINT NOT NULL DEFAULT 0, -- by tasks that have not ended
  doubt    BIGINT NOT NULL DEFAULT 0, -- was leased to nodes that never came back
  UNIQUE (limit_id, subject, start_at)
);
CREATE TABLE limit_leases (
  counter BIGINT NOT NULL,
  node    TEXT NOT NULL,
  amount  BIGINT NOT NULL,
  doubt   BIGINT NOT NULL DEFAULT 0,
  demand  BIGINT NOT NULL DEFAULT 0, -- of limits that slide: what the node asked for in a second
  told_at BIGINT NOT NULL DEFAULT 0, -- when it said so
  PRIMARY KEY (counter, node)
);
CREATE INDEX limit_leases_by_node ON limit_leases (node);
CREATE TABLE limit_nodes (
  id       TEXT NOT NULL PRIMARY KEY,
  seen_at  BIGINT NOT NULL,
  sequence BIGINT NOT NULL DEFAULT 0 -- of what it gave back last
);
-- Which thresholds were passed; each is told once.
CREATE TABLE limit_marks (
  counter BIGINT NOT NULL,
  mark    BIGINT NOT NULL, -- percent
  at      BIGINT NOT NULL,
  PRIMARY KEY (counter, mark)
);
-- What changed money but for requests: grants and their end, what is in doubt, what people settled.
CREATE TABLE ledger (
  id        TEXT NOT NULL PRIMARY KEY,
  at        BIGINT NOT NULL,
  workspace TEXT NOT NULL,
  counter   BIGINT NOT NULL,
  kind      TEXT NOT NULL,
  nano      BIGINT NOT NULL,
  note      TEXT NOT NULL
);
CREATE INDEX ledger_by_counter ON ledger (counter, at);

-- Whom a request is charged to, and of which counters it has taken how much: 17:120000,18:1.
ALTER TABLE requests ADD COLUMN person TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN end_user TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN tags TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN charges TEXT NOT NULL DEFAULT '';
