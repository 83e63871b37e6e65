-- Indexes that a superuser makes on the extension's own tables: they change no answer.
SELECT current_setting('shared_preload_libraries') <> 'snowid' AS not_preloaded \gset
\if :not_preloaded
\quit
\endif
\set db :DBNAME
CREATE DATABASE snowid_own_indexes;
\c snowid_own_indexes
CREATE EXTENSION snowid;
SELECT snowid_generator_create('first', worker => 721);
-- in the other order, of another kind, with another collation or another class: none of them finds the last id or a name
DROP INDEX _snowid.generator_id;
CREATE INDEX by_id ON _snowid.generator (id DESC);
SELECT snowid_generator_create('second', worker => 722);
SELECT snowid_generator_create('third', worker => 723);
SELECT id, name FROM _snowid.generator ORDER BY id;
DROP INDEX _snowid.by_id;
CREATE INDEX by_id ON _snowid.generator USING brin (id);
CREATE INDEX by_name ON _snowid.generator USING hash (name);
CREATE INDEX by_layout ON _snowid.generator (layout text_pattern_ops);
CREATE INDEX in_c ON _snowid.generator (name COLLATE "C");
SELECT snowid_generator_create('fourth', worker => 724);
SELECT snowid_generator_alter('fourth', new_name => 'last');
SELECT snowflake_worker(snowflake_next('last'));
SELECT id, name FROM _snowid.generator ORDER BY id;
-- on an expression, or partial: what PostgreSQL has for its catalogues would crash, or give the index rows of others
CREATE INDEX lower ON _snowid.generator (lower(name));
SELECT snowid_generator_create('fifth', worker => 725);
SELECT snowid_generator_drop('last');
DROP INDEX _snowid.lower;
CREATE INDEX part ON _snowid.generator (worker) WHERE name IS NULL;
SELECT snowid_generator_alter('last', worker => 725);
DROP INDEX _snowid.part;
CREATE INDEX half ON _snowid.horizon ((horizon / 2));
SELECT snowid_generator_create('fifth', worker => 725);
DROP INDEX _snowid.half;
CREATE INDEX half ON _snowid.seal_key ((number / 2));
SELECT snowid_seal_key_create();
DROP INDEX _snowid.half;
SELECT snowid_generator_create('fifth', worker => 725), snowid_seal_key_create();
\c :db
DROP DATABASE snowid_own_indexes;
