-- The role of the server: it may read and write, and owns nothing, so that row-level security holds it to its tenant.
\getenv password RAGSTONE_DB_PASSWORD
CREATE ROLE ragstone LOGIN PASSWORD :'password';
DO $$
BEGIN
    CREATE ROLE ragstone_write NOLOGIN;
EXCEPTION WHEN duplicate_object THEN
    NULL;
END $$;
GRANT ragstone_write TO ragstone;
