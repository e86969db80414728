-- +goose Up
-- Where messages of a workspace go, beside the addresses of single orders.
CREATE TABLE webhook_endpoints (
  id         TEXT NOT NULL PRIMARY KEY,
  workspace  TEXT NOT NULL, -- '' for the installation
  url        TEXT NOT NULL, -- https:, http: or mailto:
  events     TEXT NOT NULL, -- JSON; [] for all
  enabled    INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX webhook_endpoints_by_workspace ON webhook_endpoints (workspace, created_at, id);
-- webhook_secrets has those of endpoints too, under their ids.

ALTER TABLE deliveries ADD COLUMN endpoint TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN answer TEXT NOT NULL DEFAULT ''; -- the first bytes of the last one
ALTER TABLE deliveries ADD COLUMN next_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX deliveries_by_endpoint ON deliveries (endpoint, created_at, id) WHERE endpoint <> '';
CREATE INDEX deliveries_given_up ON deliveries (workspace, endpoint) WHERE state = 'given_up';

-- Whose threshold was passed, and how the limit stood then. One of which no subscriber was told yet waits for a server.
ALTER TABLE limit_marks ADD COLUMN workspace TEXT NOT NULL DEFAULT '';
ALTER TABLE limit_marks ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
ALTER TABLE limit_marks ADD COLUMN amount INTEGER NOT NULL DEFAULT 0;
ALTER TABLE limit_marks ADD COLUMN told INTEGER NOT NULL DEFAULT 1;
CREATE INDEX limit_marks_untold ON limit_marks (at) WHERE told = 0;
CREATE INDEX limit_marks_by_workspace ON limit_marks (workspace, at);
UPDATE limit_marks SET workspace = COALESCE((SELECT limits.workspace FROM limit_counters JOIN limits ON limits.id = limit_counters.limit_id
  WHERE limit_counters.id = limit_marks.counter), '');

-- Up to when a person has seen what was told, and who wants no mail.
CREATE TABLE notices_seen (
  user_id   TEXT NOT NULL,
  workspace TEXT NOT NULL,
  until     INTEGER NOT NULL,
  PRIMARY KEY (user_id, workspace)
);
CREATE TABLE mail_off (
  workspace TEXT NOT NULL,
  user_id   TEXT NOT NULL,
  PRIMARY KEY (workspace, user_id)
);
