-- Earlier searches, served again to questions that ask the same. They say nothing that a search would not, and go with
-- their collection. Roles in ragstone_read are served from them and keep none: nobody is served what a reader wrote.
CREATE TABLE searches (
    search_id text COLLATE "C" NOT NULL,
    tenant_id text COLLATE "C" NOT NULL,
    collection_id integer NOT NULL REFERENCES collections ON DELETE CASCADE,
    key text COLLATE "C" NOT NULL,          -- what two searches must share
    generation bigint NOT NULL,             -- of the collection that was searched
    at timestamptz NOT NULL,
    used_at timestamptz NOT NULL,
    vector bytea NOT NULL,                  -- of the question, float32, little-endian
    content bytea NOT NULL,
    PRIMARY KEY (tenant_id, collection_id, search_id)
);
CREATE INDEX searches_by_key ON searches (tenant_id, collection_id, key);
ALTER TABLE searches ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON searches
    USING (tenant_id = current_setting('ragstone.tenant', true))
    WITH CHECK (tenant_id = current_setting('ragstone.tenant', true));
SELECT grant_roles();
