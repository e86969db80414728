-- +goose Up
-- How many processes died while they worked on it.
ALTER TABLE generations ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;

-- What is not worked on any more until a person sends it again.
CREATE TABLE set_aside (
  id        TEXT PRIMARY KEY, -- of a generation or a delivery
  workspace TEXT NOT NULL,
  kind      TEXT NOT NULL,
  about     TEXT NOT NULL,
  subject   TEXT NOT NULL,
  reason    TEXT NOT NULL,
  nano      INTEGER NOT NULL,
  at        INTEGER NOT NULL
) STRICT;
CREATE INDEX set_aside_by_workspace ON set_aside (workspace, at, id);
