"""What a database says of its schema `ragstone`, as text: `python -m tests.stores.postgres.schema` writes it anew."""

from pathlib import Path

import psycopg

SNAPSHOT = Path(__file__).with_name("schema.sql")
QUERIES = (
    """SELECT format('-- %s.%s: %s%s%s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
            CASE WHEN l.collname <> 'default' THEN ' COLLATE ' || l.collname ELSE '' END,
            CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END,
            CASE a.attidentity WHEN '' THEN '' ELSE ' IDENTITY' END,
            coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '')) || ' ' || a.attstorage::text
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        LEFT JOIN pg_collation l ON l.oid = a.attcollation
        WHERE c.relnamespace = 'ragstone'::regnamespace AND c.relkind = 'r' ORDER BY c.relname COLLATE "C", a.attnum""",
    """SELECT format('ALTER TABLE %s ADD CONSTRAINT %s %s;', c.conrelid::regclass, conname, pg_get_constraintdef(c.oid))
        FROM pg_constraint c WHERE connamespace = 'ragstone'::regnamespace AND contype <> 'n'
        ORDER BY c.conrelid::regclass::text COLLATE "C", c.conname COLLATE "C" """,
    """SELECT indexdef || ';' FROM pg_indexes WHERE schemaname = 'ragstone' ORDER BY indexname COLLATE "C" """,
    """SELECT format('CREATE POLICY %s ON %s %s TO %s USING %s WITH CHECK %s;', policyname, tablename, cmd, roles, qual,
        with_check) FROM pg_policies WHERE schemaname = 'ragstone' ORDER BY tablename COLLATE "C",
        policyname COLLATE "C" """,
    """SELECT format('-- %s: row-level security %s, forced %s', relname, relrowsecurity, relforcerowsecurity)
        FROM pg_class WHERE relnamespace = 'ragstone'::regnamespace AND relkind = 'r' ORDER BY relname COLLATE "C" """,
    """SELECT pg_get_functiondef(oid) || ';' FROM pg_proc WHERE pronamespace = 'ragstone'::regnamespace
        ORDER BY proname COLLATE "C" """,
    """SELECT format('GRANT %s ON %s TO %s;', string_agg(privilege_type, ', ' ORDER BY privilege_type COLLATE "C"),
        table_name, grantee) FROM information_schema.role_table_grants
        WHERE table_schema = 'ragstone' AND grantee IN ('ragstone_admin', 'ragstone_read', 'ragstone_write')
        GROUP BY table_name, grantee ORDER BY grantee COLLATE "C", table_name COLLATE "C" """,
)


def described(url: str) -> str:
    """Tables, constraints, indexes, policies, functions and grants, in a fixed order."""
    with psycopg.connect(url) as connection:
        connection.execute("SET search_path = ragstone, public")
        parts = ["\n".join(str(row[0]) for row in connection.execute(query.encode()).fetchall()) for query in QUERIES]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    from tests.stores.postgres.server import TEMPLATE, serving

    with serving() as server:
        SNAPSHOT.write_text(described(server.owner(TEMPLATE)), encoding="utf-8")
