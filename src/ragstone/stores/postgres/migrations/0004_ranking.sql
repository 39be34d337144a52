-- The server's own ranking (`keywords=ts_rank_cd`) by its index, and statistics as soon as a run has ended. Both are functions
-- of the owner's, which give no more than row-level security would.

-- `@@` is not leakproof, so that under row-level security no query may use the index over `tsv`. The owner's function may: on
-- this table the owner alone is not bound, and the function names the tenant itself.
ALTER TABLE chunk_fts NO FORCE ROW LEVEL SECURITY;

-- The collection as a word of its own: the index then meets the words of this collection only. No text has it, for the
-- parser makes no word of a control character.
CREATE FUNCTION fts_mark(collection integer) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN array_to_tsvector(ARRAY[chr(1) || collection]);
REVOKE ALL ON FUNCTION fts_mark(integer) FROM PUBLIC;

UPDATE chunk_fts SET tsv = tsv || fts_mark(collection_id);

CREATE FUNCTION ts_ranked(collection integer, query text) RETURNS TABLE (chunk_key bigint, score double precision)
LANGUAGE plpgsql STABLE STRICT SECURITY DEFINER ROWS 100
SET search_path = ragstone, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
    asked tsquery;
    ours tsquery := quote_literal(chr(1) || collection)::tsquery;
BEGIN
    BEGIN
        asked := websearch_to_tsquery('english', query);
    EXCEPTION WHEN internal_error THEN  -- it trips over some signs: "tsquery stack too small"
        asked := plainto_tsquery('english', query);
    END;
    IF numnode(asked) = 0 THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT f.chunk_key, ts_rank_cd(f.tsv, asked)::double precision FROM ragstone.chunk_fts f
        WHERE f.tsv @@ (ours && asked) AND f.collection_id = collection
            AND f.tenant_id = current_setting('ragstone.tenant', true);
END $$;

-- After a first ingestion the server takes every table for one row until it has counted, which it does when it comes by. Tables
-- that grew by a tenth since are counted now, but those that somebody else is counting.
CREATE FUNCTION count_rows() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ragstone, pg_temp
AS $$
DECLARE
    name regclass;
    counted integer := 0;
BEGIN
    FOR name IN SELECT c.oid FROM pg_class c
        WHERE c.relnamespace = 'ragstone'::regnamespace AND c.relkind = 'r'
            AND pg_relation_size(c.oid) > 1.1 * current_setting('block_size')::bigint * c.relpages
        ORDER BY c.oid
    LOOP
        EXECUTE format('ANALYZE (SKIP_LOCKED) %s', name);
        counted := counted + 1;
    END LOOP;
    RETURN counted;
END $$;

REVOKE ALL ON FUNCTION ts_ranked(integer, text), count_rows() FROM PUBLIC;

CREATE OR REPLACE FUNCTION grant_roles() RETURNS void LANGUAGE plpgsql SET search_path = ragstone, pg_temp
AS $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['ragstone_read', 'ragstone_write', 'ragstone_admin'] LOOP
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('GRANT USAGE ON SCHEMA ragstone TO %I', name);
            EXECUTE format('GRANT EXECUTE ON FUNCTION find_key(text) TO %I', name);
        END IF;
    END LOOP;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragstone_read') THEN
        GRANT SELECT ON ALL TABLES IN SCHEMA ragstone TO ragstone_read;
        REVOKE ALL ON api_keys FROM ragstone_read;
        GRANT EXECUTE ON FUNCTION ts_ranked(integer, text) TO ragstone_read;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragstone_write') THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ragstone TO ragstone_write;
        REVOKE INSERT, UPDATE, DELETE ON schema_migrations FROM ragstone_write;
        REVOKE ALL ON api_keys FROM ragstone_write;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA ragstone TO ragstone_write;
        GRANT EXECUTE ON FUNCTION ensure_vector_index(text, integer), ts_ranked(integer, text), count_rows(), fts_mark(integer)
            TO ragstone_write;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragstone_admin') THEN
        GRANT SELECT ON schema_migrations TO ragstone_admin;
        GRANT SELECT, INSERT, UPDATE, DELETE ON api_keys TO ragstone_admin;
    END IF;
END $$;
SELECT grant_roles();
