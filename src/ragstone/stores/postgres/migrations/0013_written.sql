-- Vectors of the summaries and questions of chunks, of the model that the collection names, by the key of the texts and
-- the place among them. A chunk that was looked at has a link; its key is empty where it has no such texts.
ALTER TABLE collections
    ADD COLUMN written_model text,
    ADD COLUMN written_variant text,
    ADD COLUMN written_dim integer,
    ADD CHECK ((written_dim IS NULL) = (written_model IS NULL));

CREATE TABLE written_vectors (
    tenant_id text COLLATE "C" NOT NULL,
    collection_id integer NOT NULL REFERENCES collections ON DELETE CASCADE,
    key text COLLATE "C" NOT NULL,
    place integer NOT NULL,
    embedding halfvec NOT NULL,             -- whole numbers; see stores/written_vectors.py
    PRIMARY KEY (collection_id, key, place)
);

CREATE TABLE written_links (
    chunk_key bigint PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    tenant_id text COLLATE "C" NOT NULL,
    collection_id integer NOT NULL,
    key text COLLATE "C" NOT NULL
);
CREATE INDEX written_links_key ON written_links (collection_id, key);

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['written_vectors', 'written_links'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
        EXECUTE format($p$CREATE POLICY of_tenant ON %I
            USING (tenant_id = current_setting('ragstone.tenant', true))
            WITH CHECK (tenant_id = current_setting('ragstone.tenant', true))$p$, name);
    END LOOP;
END $$;
SELECT grant_roles();
