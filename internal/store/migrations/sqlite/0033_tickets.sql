-- +goose Up
-- Tickets of a sign-in that were brought back: each is taken once, by whichever server.
CREATE TABLE spent_tickets (
  id       TEXT NOT NULL PRIMARY KEY,
  until_at INTEGER NOT NULL -- after which it would not be taken anyway
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_tickets_by_age ON spent_tickets (until_at);
