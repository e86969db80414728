-- +goose Up
-- What a kept answer has beside its body: headers, how many pieces come before the body,
-- and how it ended: 0 whole, 1 cut off, 2 not kept.
ALTER TABLE claims ADD COLUMN header TEXT NOT NULL DEFAULT '';
ALTER TABLE claims ADD COLUMN pieces INTEGER NOT NULL DEFAULT 0;
ALTER TABLE claims ADD COLUMN ending INTEGER NOT NULL DEFAULT 0;

-- Answers that are being given under an Idempotency-Key, piece by piece: place 0 says that an
-- upstream was asked, 1 is the answer's head, the others are its bytes.
CREATE TABLE claim_pieces (
  claim TEXT NOT NULL, -- the id in claims
  place INTEGER NOT NULL,
  at    INTEGER NOT NULL,
  body  BLOB NOT NULL,
  PRIMARY KEY (claim, place)
) STRICT;
CREATE INDEX claim_pieces_by_age ON claim_pieces (at);

-- When a task is to be canceled by itself, 0 for never; and its place in its provider's line,
-- 0 where that is not known.
ALTER TABLE generations ADD COLUMN cancel_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE generations ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
CREATE INDEX generations_by_cancel ON generations (cancel_at) WHERE cancel_at > 0 AND stopping = 0 AND stage <> 'ended';
