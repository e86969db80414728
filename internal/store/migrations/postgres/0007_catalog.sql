-- +goose Up
-- Providers and models that operators keep here rather than in the configuration file.
CREATE TABLE offers (
  sort       TEXT NOT NULL, -- provider or model
  id         TEXT NOT NULL,
  fields     TEXT NOT NULL, -- JSON, in the words of the configuration file
  sealed     BYTEA NOT NULL, -- the secrets
  secrets_at TEXT NOT NULL, -- JSON: which secrets there are, and since when
  enabled    BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  revision   BIGINT NOT NULL,
  PRIMARY KEY (sort, id)
);
INSERT INTO revisions (name, n) VALUES ('offers', 0);
