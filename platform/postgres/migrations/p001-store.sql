-- The tables of the ops store. Times are Unix milliseconds. JSON is stored as it was written.
create table api_key (
  id text collate "C" primary key,
  org text collate "C" not null,
  plan text not null,
  scopes text not null,
  hash text not null unique,
  prefix text not null,
  limits text not null,
  created_ms bigint not null,
  expires_ms bigint,
  revoked_ms bigint,
  revision bigint not null
);

create index api_key_by_org on api_key (org, id);
create index api_key_by_revision on api_key (revision);

-- Revisions start at a random number, so that a store that replaces this one has other revisions.
create table key_revision (first bigint not null, last bigint not null);
insert into key_revision select start, start from (select floor(random() * 281474976710656)::bigint as start) as drawn;

create table audit_entry (
  seq bigint primary key,
  at_ms bigint not null,
  who text not null,
  action text not null,
  subject text collate "C" not null,
  request_id text,
  details json not null,
  previous_hash text not null,
  hash text not null
);

-- Audit entries about one key.
create index audit_entry_by_subject on audit_entry (subject, seq);
create index audit_entry_by_replaced on audit_entry ((details ->> 'replaces')) where action = 'key.rotate';

-- The last entry, stored separately so that a log with its end cut off is detected.
create table audit_head (seq bigint not null, hash text not null);
insert into audit_head values (0, '');

create function audit_entry_is_final() returns trigger language plpgsql as $$
begin
  raise integrity_constraint_violation using message = 'an audit entry is never changed or deleted';
end;
$$;

create trigger audit_entry_is_final before update or delete or truncate on audit_entry
  for each statement execute function audit_entry_is_final();

-- Identifies the seal key of the store, and the entry from which the audit log is keyed with it.
create table store_mark (keyed_from bigint not null, mac text not null);

-- Requests with an idempotency key, of which only the hash is stored. `settled_ms` is null while a request is in progress.
create table idempotent_request (
  org text not null,
  key_hash text not null,
  fingerprint text not null,
  owner text not null,
  begun_ms bigint not null,
  settled_ms bigint,
  sealed_answer bytea,
  primary key (org, key_hash)
);

create index idempotent_request_by_age on idempotent_request (coalesce(settled_ms, begun_ms));

-- How often an organisation used a counted feature in a UTC month such as `2026-03`.
create table usage_count (
  org text not null,
  month text not null,
  name text not null,
  count bigint not null,
  primary key (org, month, name)
);

-- Calculations charged to an organisation, once each, per UTC month.
create table analytics_run (
  org text not null,
  kind text not null,
  run_key text not null,
  month text not null,
  charged_ms bigint not null,
  primary key (org, kind, run_key)
);

create index analytics_run_by_month on analytics_run (org, kind, month);
create index analytics_run_by_age on analytics_run (charged_ms);

-- Webhook subscriptions, with sealed secrets. A deleted subscription stays hidden here until its deliveries are gone.
create table webhook (
  num bigint generated always as identity primary key,
  id text collate "C" not null unique,
  org text collate "C" not null,
  url text not null,
  events text not null,
  description text,
  status text not null,
  disabled_reason text,
  secret_prefix text not null,
  secrets text not null,
  starts_after text,
  failing_since_ms bigint,
  warned_ms bigint,
  last_success_ms bigint,
  last_failure_ms bigint,
  created_ms bigint not null,
  updated_ms bigint not null,
  deleted_ms bigint
);

create index webhook_by_org on webhook (org, id) where deleted_ms is null;

-- One row per delivery, with its last attempt. `next_ms` is when the next attempt is due, null once the delivery has ended. `body` is
-- stored only if the event log does not hold the event.
create table webhook_delivery (
  seq bigint generated always as identity primary key,
  webhook bigint not null,
  event_id text not null,
  event_type text not null,
  subject_id text not null,
  origin text not null,
  status text not null,
  attempt bigint not null,
  most_attempts bigint not null,
  created_ms bigint not null,
  next_ms bigint,
  attempted_ms bigint,
  duration_ms bigint,
  url text,
  response_status bigint,
  error_code text,
  error_message text,
  response_body text,
  replay_cursor text,
  body bytea
);

create index webhook_delivery_by_webhook on webhook_delivery (webhook, seq);
create index webhook_delivery_due on webhook_delivery (webhook, next_ms) where next_ms is not null;
create index webhook_delivery_open on webhook_delivery (webhook, seq) where next_ms is not null;

-- How far the event log has been turned into deliveries, and a number that every change by a caller increments.
create table webhook_state (cursor text, revision bigint not null);
insert into webhook_state values (null, 0);

-- Organisations whose deliveries end at another event than the cursor of webhook_state. `rowid` is the order of their turns.
create table webhook_behind (
  rowid bigint generated always as identity,
  org text primary key,
  cursor text not null
);
