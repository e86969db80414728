-- +goose Up
-- Which master key a server has at hand, by fingerprint.
ALTER TABLE nodes ADD COLUMN master TEXT NOT NULL DEFAULT '';

-- Every line of the audit log names its place in a chain, what changed, and the
-- hash of itself and the line before. Lines of before have no place yet.
ALTER TABLE audit ADD COLUMN seq INTEGER;
ALTER TABLE audit ADD COLUMN changes TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN hash TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX audit_by_seq ON audit (seq);

-- The last line of the chain, and the one after which it begins: older ones are deleted.
CREATE TABLE audit_head (
  id        TEXT NOT NULL PRIMARY KEY, -- there is one, called head
  seq       INTEGER NOT NULL,
  hash      TEXT NOT NULL,
  base_seq  INTEGER NOT NULL,
  base_hash TEXT NOT NULL,
  proof     TEXT NOT NULL -- a keyed hash of the four: whoever has only the database cannot make it
) STRICT;
INSERT INTO audit_head (id, seq, hash, base_seq, base_hash, proof) VALUES ('head', 0, '', 0, '', '');

-- How far the log was sent on, and who sends.
CREATE TABLE audit_sinks (
  name  TEXT NOT NULL PRIMARY KEY,
  seq   INTEGER NOT NULL,
  owner TEXT NOT NULL,
  until INTEGER NOT NULL -- the owner's lease
) STRICT;
