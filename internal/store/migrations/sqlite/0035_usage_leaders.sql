-- +goose Up
-- Who used the most in a week, where a week has very many names: they are looked for here, and added up by their days.
CREATE TABLE usage_leaders (
  workspace   TEXT NOT NULL,
  dim         TEXT NOT NULL,
  week        INTEGER NOT NULL, -- its Monday
  environment TEXT NOT NULL,
  name        TEXT NOT NULL,
  requests    INTEGER NOT NULL,
  tokens      INTEGER NOT NULL,
  nano        INTEGER NOT NULL,
  PRIMARY KEY (workspace, dim, week, environment, name)
) STRICT, WITHOUT ROWID;
