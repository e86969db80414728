-- +goose Up
-- Who took most of a limit in a window, without looking at all of them.
CREATE INDEX limit_counters_by_taken ON limit_counters (limit_id, end_at, settled);
