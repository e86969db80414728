-- +goose Up
-- What a key used of a model in many days, without reading what it used of all others.
CREATE INDEX usage_days_by_key_and_model ON usage_days (workspace, key, model, day);
