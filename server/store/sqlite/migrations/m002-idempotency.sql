-- Requests with an idempotency key, of which only the hash is stored. `settled_ms` is null while a request is in progress.
create table idempotent_request (
  org text not null,
  key_hash text not null,
  fingerprint text not null,
  owner text not null,
  begun_ms integer not null,
  settled_ms integer,
  sealed_answer blob,
  primary key (org, key_hash)
) strict;

create index idempotent_request_by_age on idempotent_request (coalesce(settled_ms, begun_ms));
