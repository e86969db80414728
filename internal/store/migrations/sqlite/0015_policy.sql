-- +goose Up
-- What a workspace's keys and people may do at most, as JSON; '' forbids nothing. The revision is one of keys.
ALTER TABLE workspaces ADD COLUMN policy TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN policy_revision INTEGER NOT NULL DEFAULT 0;

ALTER TABLE keys ADD COLUMN creator TEXT NOT NULL DEFAULT '';
ALTER TABLE keys ADD COLUMN creator_name TEXT NOT NULL DEFAULT '';
ALTER TABLE keys ADD COLUMN cidrs TEXT NOT NULL DEFAULT '';
ALTER TABLE keys ADD COLUMN idle INTEGER NOT NULL DEFAULT 0;
-- Every secret as JSON, the newest first; hash stays the newest one's. What was there counts as used: it works as before.
ALTER TABLE keys ADD COLUMN secrets TEXT NOT NULL DEFAULT '';
UPDATE keys SET secrets = '[{"hash":"' || hash || '","used":true}' ||
  CASE WHEN old_hash <> '' THEN ',{"hash":"' || old_hash || '","until":' || old_until || ',"used":true}' ELSE '' END || ']';
ALTER TABLE keys DROP COLUMN old_hash;
ALTER TABLE keys DROP COLUMN old_until;
-- Who made a key was written down only in the audit log.
UPDATE keys SET
  creator = COALESCE((SELECT actor FROM audit WHERE audit.workspace = keys.workspace AND target = keys.id AND action = 'key.create' ORDER BY at LIMIT 1), ''),
  creator_name = COALESCE((SELECT actor_name FROM audit WHERE audit.workspace = keys.workspace AND target = keys.id AND action = 'key.create' ORDER BY at LIMIT 1), '');

-- How far each serving process has followed the keys.
CREATE TABLE key_followers (
  node     TEXT PRIMARY KEY,
  revision INTEGER NOT NULL,
  seen_at  INTEGER NOT NULL
) STRICT;
