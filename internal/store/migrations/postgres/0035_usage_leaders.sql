-- +goose Up
-- Who used the most in a week, where a week has very many names: they are looked for here, and added up by their days.
CREATE TABLE usage_leaders (
  workspace   TEXT NOT NULL,
  dim         TEXT NOT NULL,
  week        BIGINT NOT NULL, -- its Monday
  environment TEXT NOT NULL,
  name        TEXT NOT NULL,
  requests    BIGINT NOT NULL,
  tokens      BIGINT NOT NULL,
  nano        BIGINT NOT NULL,
  PRIMARY KEY (workspace, dim, week, environment, name)
);
