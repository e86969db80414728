-- +goose Up
-- A task may be a part of another one, which tells how far each of its steps is.
ALTER TABLE generations ADD COLUMN parent TEXT NOT NULL DEFAULT '';
ALTER TABLE generations ADD COLUMN steps TEXT NOT NULL DEFAULT '[]'; -- JSON
CREATE INDEX generations_by_parent ON generations (parent) WHERE parent <> '';

-- What is known of the steps of runs. A step that is done for each item of a list
-- has a row for each.
CREATE TABLE app_steps (
  run        TEXT NOT NULL,
  step       TEXT NOT NULL,
  place      INTEGER NOT NULL,
  try        INTEGER NOT NULL,
  state      TEXT NOT NULL,
  generation TEXT NOT NULL,
  outputs    TEXT NOT NULL, -- JSON
  said       TEXT NOT NULL,
  nano       INTEGER NOT NULL,
  code       TEXT NOT NULL,
  message    TEXT NOT NULL,
  saved_at   INTEGER NOT NULL,
  PRIMARY KEY (run, step, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX app_steps_by_age ON app_steps (saved_at);
