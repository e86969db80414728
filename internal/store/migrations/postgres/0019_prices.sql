-- +goose Up
-- What a request was rated by: where the price is from, which list it was, and what the
-- request used beside the columns. Rows of before have no source.
ALTER TABLE requests ADD COLUMN extra TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN price_source TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN price_version TEXT NOT NULL DEFAULT '';

-- How many requests were served whose price nobody knows.
ALTER TABLE usage_days ADD COLUMN unpriced BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_groups ADD COLUMN unpriced BIGINT NOT NULL DEFAULT 0;
