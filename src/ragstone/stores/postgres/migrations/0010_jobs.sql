-- Ingestion jobs of servers. Workers take jobs of any tenant: their transactions set ragstone.queue, as others set
-- ragstone.tenant. Times are in seconds since 1970, of the servers' clocks.
CREATE TABLE jobs (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id text COLLATE "C" NOT NULL UNIQUE,
    tenant_id text COLLATE "C" NOT NULL,
    collection text COLLATE "C" NOT NULL,
    path text COLLATE "C",                  -- of an uploaded document; NULL: the configured sources
    status text COLLATE "C" NOT NULL,
    tries integer NOT NULL DEFAULT 0,
    due double precision NOT NULL,
    lease double precision NOT NULL DEFAULT 0,
    created double precision NOT NULL,
    taken double precision,
    finished double precision,
    code text,
    message text
);
CREATE INDEX jobs_of ON jobs (tenant_id, taken);
CREATE INDEX jobs_by_path ON jobs (tenant_id, collection, path);
CREATE INDEX jobs_by_status ON jobs (status, due);
ALTER TABLE jobs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON jobs
    USING (tenant_id = current_setting('ragstone.tenant', true))
    WITH CHECK (tenant_id = current_setting('ragstone.tenant', true));
CREATE POLICY of_queue ON jobs
    USING (current_setting('ragstone.queue', true) = 'all')
    WITH CHECK (current_setting('ragstone.queue', true) = 'all');
SELECT grant_roles();
