-- +goose Up
-- Apps that are written in the console: the text as it was last saved, and which
-- version of it is offered.
CREATE TABLE app_drafts (
  workspace  TEXT NOT NULL,
  id         TEXT NOT NULL,
  source     TEXT NOT NULL,
  latest     BIGINT NOT NULL, -- the last version that was published, 0 for none
  offered    BIGINT NOT NULL, -- the version that is offered, 0 for none
  shared     BIGINT NOT NULL, -- it is offered in every workspace
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  updated_by TEXT NOT NULL,
  revision   BIGINT NOT NULL,
  PRIMARY KEY (workspace, id)
);
CREATE INDEX app_drafts_offered ON app_drafts (id) WHERE offered > 0;
INSERT INTO revisions (name, n) VALUES ('apps', 0);

-- What was published. Rows are only added, and go with their draft.
CREATE TABLE app_versions (
  workspace TEXT NOT NULL,
  app       TEXT NOT NULL,
  number    BIGINT NOT NULL,
  source    TEXT NOT NULL,
  at        BIGINT NOT NULL,
  by_user   TEXT NOT NULL,
  PRIMARY KEY (workspace, app, number)
);

-- When a step, or one item of it, was begun; 0 for those before this was kept.
ALTER TABLE app_steps ADD COLUMN began_at BIGINT NOT NULL DEFAULT 0;
