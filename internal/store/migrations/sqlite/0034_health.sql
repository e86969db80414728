-- +goose Up
-- How providers serve each server, as JSON: told with its beat, added up on pages.
ALTER TABLE nodes ADD COLUMN providers TEXT NOT NULL DEFAULT '';
