-- State of the warehouse on Trino, in the database of the Iceberg catalogue. Trino changes one table at a time, so changes that belong
-- together are ordered and recorded here.
create table installation (id text not null, catalog text not null);

-- The text and the columns that a model's table was created from.
create table model (name text primary key, sql_hash text not null, columns text not null);

-- `location`: where the metadata of the table was after our last change; null for a view. `is_writing`: a change is under way, or its
-- outcome is unknown. `commits`: number of changes since files were last compacted.
create sequence table_version;
create table table_state (
  name text primary key,
  version bigint not null,
  location text,
  has_rows boolean,
  is_writing boolean not null default false,
  commits bigint not null default 0
);

-- Policy tables, with a hash of the rows in their views.
create table bound (name text primary key, hash text not null);

-- `batch`: where the file with the rows is. `is_pending`: it is not known yet whether that file is part of the table.
create table absorbed (
  model text not null,
  file text not null,
  first_time bigint,
  is_settled boolean not null default false,
  sha256 text,
  batch text,
  is_pending boolean not null default false,
  primary key (model, file)
);
