-- +goose Up
-- Providers and models that operators keep here rather than in the configuration file.
CREATE TABLE offers (
  sort       TEXT NOT NULL, -- provider or model
  id         TEXT NOT NULL,
  fields     TEXT NOT NULL, -- JSON, in the words of the configuration file
  sealed     BLOB NOT NULL, -- the secrets
  secrets_at TEXT NOT NULL, -- JSON: which secrets there are, and since when
  enabled    INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision   INTEGER NOT NULL,
  PRIMARY KEY (sort, id)
) STRICT, WITHOUT ROWID;
INSERT INTO revisions (name, n) VALUES ('offers', 0);
