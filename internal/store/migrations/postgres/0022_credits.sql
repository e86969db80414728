-- +goose Up
-- What a task holds of limits until it is settled, as limit.Portion.
ALTER TABLE generations ADD COLUMN holds TEXT NOT NULL DEFAULT '[]';
-- It has ended, and its provider has not said what it cost.
ALTER TABLE generations ADD COLUMN unsettled BIGINT NOT NULL DEFAULT 0;
CREATE INDEX generations_unsettled ON generations (not_before) WHERE unsettled = 1;

-- What was paid in advance, by workspace. The sum of nano less lapsed is the amount of its balance.
CREATE TABLE credit_grants (
  id         TEXT NOT NULL PRIMARY KEY,
  workspace  TEXT NOT NULL,
  nano       BIGINT NOT NULL,
  used       BIGINT NOT NULL DEFAULT 0, -- what was spent of it, as of the latest grant or end of one
  lapsed     BIGINT NOT NULL DEFAULT 0, -- what of it was left when it expired
  expires_at BIGINT NOT NULL, -- 0: never
  closed     BIGINT NOT NULL DEFAULT 0, -- it has expired, which is in the ledger
  note       TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX credit_grants_by_workspace ON credit_grants (workspace, created_at);
CREATE INDEX credit_grants_expiring ON credit_grants (expires_at) WHERE closed = 0 AND expires_at > 0;
