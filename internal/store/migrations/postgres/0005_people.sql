-- +goose Up
ALTER TABLE workspaces ADD COLUMN name TEXT NOT NULL DEFAULT '';
INSERT INTO workspaces (id, created_at) VALUES ('default', CAST(EXTRACT(EPOCH FROM now()) * 1000 AS BIGINT)) ON CONFLICT (id) DO NOTHING;

CREATE TABLE members (
  workspace  TEXT NOT NULL REFERENCES workspaces (id),
  user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role       TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace, user_id)
);
CREATE INDEX members_by_user ON members (user_id);
-- Until now everybody was a member of the one workspace people could see.
INSERT INTO members (workspace, user_id, role, created_at) SELECT 'default', id, 'member', created_at FROM users WHERE admin = 0;

-- Every change of a person waits for this row: what counts owners must not count at the same time as another.
INSERT INTO revisions (name, n) VALUES ('people', 0);

-- The one link by which a person may choose a password, while there is one.
CREATE TABLE links (
  user_id    TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  hash       TEXT NOT NULL UNIQUE,
  expires_at BIGINT NOT NULL
);

-- Who an identity provider says they are: issuer and subject.
ALTER TABLE users ADD COLUMN subject TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;
UPDATE users SET seen_at = COALESCE((SELECT MAX(seen_at) FROM sessions WHERE user_id = users.id), 0);
CREATE UNIQUE INDEX users_by_subject ON users (subject) WHERE subject <> '';

ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_by_user ON sessions (user_id);

-- The address stays readable when the person has gone.
ALTER TABLE audit ADD COLUMN actor_name TEXT NOT NULL DEFAULT '';
UPDATE audit SET actor_name = COALESCE((SELECT email FROM users WHERE users.id = audit.actor), '');
DROP INDEX audit_by_workspace;
CREATE INDEX audit_by_time ON audit (workspace, at, id);
CREATE INDEX audit_by_actor ON audit (workspace, actor, at, id);
CREATE INDEX audit_by_action ON audit (workspace, action, at, id);
CREATE INDEX audit_by_target ON audit (workspace, target, at, id);
CREATE INDEX audit_by_detail ON audit (workspace, detail, at, id);
