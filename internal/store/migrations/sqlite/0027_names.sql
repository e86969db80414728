-- +goose Up
-- What a client asked for where a name led to another model, which is in model; '' where it is the same.
ALTER TABLE requests ADD COLUMN asked TEXT NOT NULL DEFAULT '';

-- Models that clients asked for and did not get.
CREATE TABLE missing_models (
  workspace TEXT NOT NULL,
  name      TEXT NOT NULL,
  requests  INTEGER NOT NULL,
  first_at  INTEGER NOT NULL,
  last_at   INTEGER NOT NULL,
  PRIMARY KEY (workspace, name)
) STRICT, WITHOUT ROWID;
