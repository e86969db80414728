-- +goose Up
-- What some end users used in many days, without reading what all others did.
CREATE INDEX usage_groups_by_name ON usage_groups (workspace, dim, name, day);
