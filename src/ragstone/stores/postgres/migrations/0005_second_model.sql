-- A second model beside the active one. Its vectors stand in chunk_embeddings too, told apart by embedding_model. That has
-- the model's name; where two models of a collection differ in their variant alone, name and variant of the later one: its label.
ALTER TABLE collections
    ADD COLUMN embedding_label text,        -- of the active model, where it is not its name
    ADD COLUMN second_model text,
    ADD COLUMN second_variant text,
    ADD COLUMN second_dim integer,
    ADD COLUMN second_label text,
    ADD COLUMN second_was_active boolean NOT NULL DEFAULT false,
    ADD CHECK ((second_dim IS NULL) = (second_model IS NULL) AND (second_dim IS NULL) = (second_label IS NULL));

-- As before, for either model, by label.
CREATE OR REPLACE FUNCTION ensure_vector_index(model text, dim integer) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
    name text := 'chunk_embeddings_' || dim || '_' || left(md5(model), 12);
    kind text := CASE WHEN dim > 2000 THEN 'halfvec' ELSE 'vector' END;
BEGIN
    IF dim NOT BETWEEN 1 AND 4000 OR NOT EXISTS (
        SELECT FROM ragstone.collections c
        WHERE coalesce(c.embedding_label, c.embedding_model) = model AND c.embedding_dim = dim
            OR c.second_label = model AND c.second_dim = dim
    ) THEN
        RETURN NULL;
    END IF;
    IF to_regclass(format('ragstone.%I', name)) IS NULL THEN
        PERFORM pg_advisory_xact_lock(hashtext('ragstone.ensure_vector_index'), hashtext(name));
        EXECUTE format(
            'CREATE INDEX IF NOT EXISTS %I ON ragstone.chunk_embeddings USING hnsw '
            '((embedding::%s(%s)) %s_cosine_ops) WHERE embedding_model = %L AND embedding_dim = %s',
            name, kind, dim, kind, model, dim
        );
    END IF;
    RETURN name;
END $$;
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION ensure_vector_index(text, integer) SET search_path = ragstone, %I, pg_temp',
        (SELECT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'));
END $$;
