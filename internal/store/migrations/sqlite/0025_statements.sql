-- +goose Up
-- Requests are found by their end user and, by the hours, by a tag.
CREATE INDEX requests_by_user ON requests (workspace, end_user, at, id) WHERE end_user <> '';
INSERT INTO request_hours (workspace, dim, name, hour)
  WITH RECURSIVE pairs (workspace, hour, pair, rest) AS (
    SELECT DISTINCT workspace, at / 3600000 * 3600000, '', tags || ',' FROM requests WHERE tags <> ''
    UNION
    SELECT workspace, hour, substr(rest, 1, instr(rest, ',') - 1), substr(rest, instr(rest, ',') + 1) FROM pairs WHERE rest <> ''
  )
  SELECT DISTINCT workspace, 'tag:' || substr(pair, 1, instr(pair, '=') - 1), substr(pair, instr(pair, '=') + 1), hour
  FROM pairs WHERE instr(pair, '=') > 1;

-- Usage is added up by the person whom a call is charged to. The requests that are still kept are taken over.
INSERT INTO usage_groups (workspace, dim, day, environment, name, requests, failed, input, cache_read, cache_write, output, reasoning, nano, took, unpriced)
  SELECT workspace, 'person', at / 86400000 * 86400000, environment, person, COUNT(*), SUM(CASE WHEN status >= 400 THEN 1 ELSE 0 END),
    SUM(input), SUM(cache_read), SUM(cache_write), SUM(output), SUM(reasoning), SUM(nano), SUM(took), SUM(CASE WHEN price_source = 'none' THEN 1 ELSE 0 END)
  FROM requests WHERE person <> '' GROUP BY 1, 3, 4, 5;
