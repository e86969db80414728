-- +goose Up
-- Apps that are written in the console: the text as it was last saved, and which
-- version of it is offered.
CREATE TABLE app_drafts (
  workspace  TEXT NOT NULL,
  id         TEXT NOT NULL,
  source     TEXT NOT NULL,
  latest     INTEGER NOT NULL, -- the last version that was published, 0 for none
  offered    INTEGER NOT NULL, -- the version that is offered, 0 for none
  shared     INTEGER NOT NULL, -- it is offered in every workspace
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by TEXT NOT NULL,
  revision   INTEGER NOT NULL,
  PRIMARY KEY (workspace, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX app_drafts_offered ON app_drafts (id) WHERE offered > 0;
INSERT INTO revisions (name, n) VALUES ('apps', 0);

-- What was published. Rows are only added, and go with their draft.
CREATE TABLE app_versions (
  workspace TEXT NOT NULL,
  app       TEXT NOT NULL,
  number    INTEGER NOT NULL,
  source    TEXT NOT NULL,
  at        INTEGER NOT NULL,
  by_user   TEXT NOT NULL,
  PRIMARY KEY (workspace, app, number)
) STRICT, WITHOUT ROWID;

-- When a step, or one item of it, was begun; 0 for those before this was kept.
ALTER TABLE app_steps ADD COLUMN began_at INTEGER NOT NULL DEFAULT 0;
