-- +goose Up
-- What a workspace is charged beyond what it cost: cost and charge are two figures.
ALTER TABLE requests ADD COLUMN markup BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_days ADD COLUMN markup BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_groups ADD COLUMN markup BIGINT NOT NULL DEFAULT 0;
