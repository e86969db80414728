-- +goose Up
-- What models thought before they called tools, until the turn comes back, perhaps to another
-- server. A turn has a row for each call, and one of them what it says.
CREATE TABLE vault_turns (
  key       TEXT NOT NULL PRIMARY KEY, -- a hash, of the workspace as well
  workspace TEXT NOT NULL,
  turn      TEXT NOT NULL, -- the key of the row that has what the turn says
  at        INTEGER NOT NULL,
  bytes     INTEGER NOT NULL,
  sealed    BLOB NOT NULL -- for workspace and key; empty where it is in another row
);
CREATE INDEX vault_turns_by_workspace ON vault_turns (workspace, at);
CREATE INDEX vault_turns_by_age ON vault_turns (at);
