-- API keys by hash, and the log of every change, in which the hash of each entry covers the previous entry.
create table api_key (
  id text primary key,
  org text not null,
  plan text not null,
  scopes text not null,
  hash text not null unique,
  prefix text not null,
  limits text not null,
  created_ms integer not null,
  expires_ms integer,
  revoked_ms integer,
  revision integer not null
) strict, without rowid;

create index api_key_by_org on api_key (org, id);
create index api_key_by_revision on api_key (revision);

-- Revisions start at a random number, so that a store that replaces this one has other revisions.
create table key_revision (first integer not null, last integer not null) strict;
insert into key_revision select start, start from (select random() & 281474976710655 as start);

create table audit_entry (
  seq integer primary key,
  at_ms integer not null,
  who text not null,
  action text not null,
  subject text not null,
  request_id text,
  details text not null,
  previous_hash text not null,
  hash text not null
) strict;

-- The last entry, stored separately so that a log with its end cut off is detected.
create table audit_head (seq integer not null, hash text not null) strict;
insert into audit_head values (0, '');

create trigger audit_entry_is_final before update on audit_entry
begin
  select raise(abort, 'an audit entry never changes');
end;

create trigger audit_entry_stays before delete on audit_entry
begin
  select raise(abort, 'an audit entry is never deleted');
end;
