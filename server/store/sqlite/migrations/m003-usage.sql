-- How often an organisation used a counted feature in a UTC month such as `2026-03`.
create table usage_count (
  org text not null,
  month text not null,
  name text not null,
  count integer not null,
  primary key (org, month, name)
) strict, without rowid;
