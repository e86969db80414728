-- +goose Up
-- What was set up by the link of an owner: trusted by the workspaces whose links were followed with it. users.password is
-- what an administrator's link has set up, trusted everywhere.
CREATE TABLE logins (
  user_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  via      TEXT NOT NULL, -- the workspace whose owner made the link
  password TEXT NOT NULL,
  PRIMARY KEY (user_id, via)
) STRICT;
CREATE TABLE openings (
  user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  workspace TEXT NOT NULL,
  via       TEXT NOT NULL,
  PRIMARY KEY (user_id, workspace, via)
) STRICT;
-- Who is here already keeps what they have, and gets nothing more by it: until now nobody wrote down who made a link.
INSERT INTO logins (user_id, via, password)
  SELECT id, COALESCE((SELECT MIN(workspace) FROM members WHERE user_id = users.id), '?'), password FROM users WHERE admin = 0 AND password <> '';
INSERT INTO openings (user_id, workspace, via)
  SELECT members.user_id, members.workspace, logins.via FROM members JOIN logins ON logins.user_id = members.user_id;
UPDATE users SET password = '' WHERE admin = 0;

-- Links that are still to be followed end: nobody knows who made them, nor for which role.
DELETE FROM links;
ALTER TABLE links ADD COLUMN via TEXT NOT NULL DEFAULT '';
ALTER TABLE links ADD COLUMN workspace TEXT NOT NULL DEFAULT 'default';
ALTER TABLE links ADD COLUMN rescue INTEGER NOT NULL DEFAULT 0;

ALTER TABLE sessions ADD COLUMN via TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN method TEXT NOT NULL DEFAULT 'password';
ALTER TABLE sessions ADD COLUMN device TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN proven_at INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET via = COALESCE((SELECT via FROM logins WHERE logins.user_id = sessions.user_id), ''), proven_at = created_at;
UPDATE sessions SET method = 'single-sign-on' WHERE EXISTS (SELECT 1 FROM users WHERE users.id = sessions.user_id AND users.subject <> '');

-- The browsers that people have signed in with.
CREATE TABLE devices (
  user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash       TEXT NOT NULL,
  via        TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  remote     TEXT NOT NULL,
  agent      TEXT NOT NULL,
  told       INTEGER NOT NULL,
  PRIMARY KEY (user_id, hash, via)
) STRICT;

CREATE TABLE factors (
  id         TEXT PRIMARY KEY,
  user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  via        TEXT NOT NULL,
  kind       TEXT NOT NULL, -- passkey, totp, recovery
  name       TEXT NOT NULL,
  lookup     TEXT, -- keyed hash, of a passkey or a recovery code
  sealed     BLOB NOT NULL,
  step       INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  used_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX factors_by_user ON factors (user_id, via);
CREATE UNIQUE INDEX factors_by_lookup ON factors (kind, lookup);
