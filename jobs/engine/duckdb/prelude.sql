-- What every database has before its models: schemas, the engine's own tables, and the Trino functions that models use and DuckDB lacks.
-- Applied to a database whenever this text has changed.
create schema if not exists landing;
create schema if not exists policy;
create schema if not exists obs;
create schema if not exists derived;
create schema if not exists out;
create schema if not exists event;
create schema if not exists meta;

create table if not exists meta.model (name varchar, sql_hash varchar, columns varchar);
alter table meta.model add column if not exists shape varchar;
create table if not exists meta.absorbed (table_name varchar, file varchar, first_time bigint, is_settled boolean);
alter table meta.absorbed add column if not exists sha256 varchar;
create table if not exists meta.version (table_name varchar, version bigint);
create table if not exists meta.bound (name varchar, hash varchar);
create table if not exists meta.reading (maker varchar, readings varchar);

create or replace macro to_unixtime(t) as epoch(cast(t as timestamp));
create or replace macro from_unixtime(s) as make_timestamp(cast(s * cast(1000000 as bigint) as bigint));
create or replace macro sequence(first, last) as generate_series(first, last), (first, last, step) as generate_series(first, last, step);
create or replace macro json_parse(text) as cast(text as json);
create or replace macro json_format(document) as cast(document as varchar);
create or replace macro json_extract_scalar(document, path) as json_extract_string(document, path);
create or replace macro regexp_like(text, pattern) as regexp_matches(text, pattern);
create or replace macro array_remove(items, item) as list_filter(items, lambda x: x <> item);
create or replace macro array_join(items, separator) as array_to_string(items, separator);
create or replace macro array_max(items) as list_max(items);
create or replace macro array_min(items) as list_min(items);
create or replace macro slice(items, first, count) as list_slice(items, first, first + count - 1);
create or replace macro truncate(x) as trunc(x);
create or replace macro is_nan(x) as isnan(x);
create or replace macro is_finite(x) as isfinite(x);
create or replace macro is_infinite(x) as isinf(x);
create or replace macro bitwise_and(a, b) as a & b;
create or replace macro bitwise_or(a, b) as a | b;
create or replace macro bitwise_xor(a, b) as xor(a, b);
create or replace macro element_at(items, i) as items[i];
create or replace macro to_utf8(t) as encode(t);
-- DuckDB's own function returns hexadecimal text; this one returns bytes, as on Trino: lower(to_hex(sha256(to_utf8(text)))).
create or replace macro sha256(bytes) as from_hex(system.main.sha256(bytes));
