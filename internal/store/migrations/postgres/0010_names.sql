-- +goose Up
-- Names of models had no bound. What is longer than one may be is cut in the
-- requests and added up with the others in the days.
UPDATE requests SET model = substr(model, 1, 256) WHERE length(model) > 256;
UPDATE requests SET target = substr(target, 1, 256) WHERE length(target) > 256;
DELETE FROM request_hours WHERE length(name) > 256;

INSERT INTO usage_groups (workspace, dim, day, environment, name, requests, failed, input, cache_read, cache_write, output, reasoning, nano, took)
  SELECT workspace, dim, day, environment, '(other)', SUM(requests), SUM(failed), SUM(input), SUM(cache_read), SUM(cache_write), SUM(output),
    SUM(reasoning), SUM(nano), SUM(took) FROM usage_groups WHERE length(name) > 256 GROUP BY workspace, dim, day, environment
  ON CONFLICT (workspace, dim, day, environment, name) DO NOTHING;
DELETE FROM usage_groups WHERE length(name) > 256;

INSERT INTO usage_days (day, workspace, key, environment, model, provider, target, status, requests, input, cache_read, cache_write, output, reasoning, nano, took)
  SELECT day, workspace, key, environment, '(other)', provider, '(other)', status, SUM(requests), SUM(input), SUM(cache_read), SUM(cache_write),
    SUM(output), SUM(reasoning), SUM(nano), SUM(took) FROM usage_days WHERE length(model) > 256 OR length(target) > 256
    GROUP BY day, workspace, key, environment, provider, status
  ON CONFLICT (workspace, day, key, environment, model, provider, target, status) DO NOTHING;
DELETE FROM usage_days WHERE length(model) > 256 OR length(target) > 256;
