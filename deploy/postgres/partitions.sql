-- Usage rows in a partition for each day, so that old days are dropped at once instead of being deleted row by row.
-- docs/scale.md says when that is worth it. Run this file once, and the function every day:
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f partitions.sql
--   psql "$DATABASE_URL" -c 'SELECT stele_partition_requests(30)'      -- days to keep; 0: none is dropped
--
-- Stele works with the table as before: ids sort by time, so a day is a range of ids. Have retention.requests keep some days
-- more than the function does, else Stele deletes what would be dropped.

-- The lowest id that a row of a moment may have: 48 bits of milliseconds, five in a character.
CREATE OR REPLACE FUNCTION stele_row_id(at TIMESTAMPTZ) RETURNS TEXT LANGUAGE sql STABLE AS $$
  SELECT 'use_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms * 4 >> (45 - 5 * i)) & 31)::INT + 1, 1), '' ORDER BY i) || repeat('0', 16)
  FROM (SELECT (extract(epoch FROM at) * 1000)::BIGINT AS ms) moment, generate_series(0, 9) i
$$;

-- Makes the partitions of the days to come and drops those of days that are over for long. The first call turns the table
-- into a partitioned one, with all rows of before in one partition. It takes a lock on the table, and waits for no longer than ten seconds for it.
CREATE OR REPLACE FUNCTION stele_partition_requests(keep INT, today TIMESTAMPTZ DEFAULT now()) RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
  tomorrow TIMESTAMPTZ := date_trunc('day', today, 'UTC') + INTERVAL '1 day';
  day TIMESTAMPTZ;
  part RECORD;
  made INT := 0;
  dropped INT := 0;
BEGIN
  SET LOCAL lock_timeout = '10s';
  LOCK TABLE requests IN ACCESS EXCLUSIVE MODE;
  IF (SELECT relkind FROM pg_class WHERE oid = 'requests'::REGCLASS) = 'r' THEN
    PERFORM stele_begin_partitions(tomorrow);
  END IF;
  FOR day IN SELECT generate_series(tomorrow, tomorrow + INTERVAL '6 days', INTERVAL '1 day') LOOP
    IF to_regclass('requests_' || to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NULL
      AND NOT EXISTS (SELECT 1 FROM requests_other WHERE id >= stele_row_id(day) AND id < stele_row_id(day + INTERVAL '1 day')) THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF requests FOR VALUES FROM (%L) TO (%L)',
        'requests_' || to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD'), stele_row_id(day), stele_row_id(day + INTERVAL '1 day'));
      made := made + 1;
    END IF;
  END LOOP;
  IF keep > 0 THEN
    FOR part IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'requests'::REGCLASS AND c.relname ~ '^requests_\d{8}$'
        AND to_date(right(c.relname, 8), 'YYYYMMDD') < (tomorrow AT TIME ZONE 'UTC')::DATE - 1 - keep LOOP
      EXECUTE format('DROP TABLE %I', part.relname);
      dropped := dropped + 1;
    END LOOP;
  END IF;
  RETURN format('%s made, %s dropped', made, dropped);
END $$;

-- The table as it is becomes the partition of all days until tomorrow; its indexes keep their names for those of the whole.
CREATE OR REPLACE FUNCTION stele_begin_partitions(tomorrow TIMESTAMPTZ) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
  old RECORD;
  texts TEXT[] := '{}';
  text TEXT;
BEGIN
  FOR old IN SELECT indexrelid::REGCLASS::TEXT AS name, pg_get_indexdef(indexrelid) AS def, indisprimary FROM pg_index WHERE indrelid = 'requests'::REGCLASS LOOP
    IF NOT old.indisprimary THEN
      texts := texts || old.def;
    END IF;
    EXECUTE format('ALTER INDEX %I RENAME TO %I', old.name, old.name || '_before');
  END LOOP;
  ALTER TABLE requests RENAME TO requests_before;
  CREATE TABLE requests (LIKE requests_before INCLUDING DEFAULTS, CONSTRAINT requests_pkey PRIMARY KEY (id)) PARTITION BY RANGE (id);
  FOREACH text IN ARRAY texts LOOP
    EXECUTE text;
  END LOOP;
  EXECUTE format('ALTER TABLE requests ATTACH PARTITION requests_before FOR VALUES FROM (MINVALUE) TO (%L)', stele_row_id(tomorrow));
  CREATE TABLE requests_other PARTITION OF requests DEFAULT;
END $$;
