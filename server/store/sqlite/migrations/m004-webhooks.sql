-- Webhook subscriptions, with sealed secrets. A deleted subscription stays hidden here until its deliveries are gone.
create table webhook (
  num integer primary key,
  id text not null unique,
  org text not null,
  url text not null,
  events text not null,
  description text,
  status text not null,
  disabled_reason text,
  secret_prefix text not null,
  secrets text not null,
  starts_after text,
  failing_since_ms integer,
  warned_ms integer,
  last_success_ms integer,
  last_failure_ms integer,
  created_ms integer not null,
  updated_ms integer not null,
  deleted_ms integer
) strict;

create index webhook_by_org on webhook (org, id) where deleted_ms is null;

-- One row per delivery, with its last attempt. `next_ms` is when the next attempt is due, null once the delivery has ended. `body` is stored
-- only if the event log does not hold the event.
create table webhook_delivery (
  seq integer primary key,
  webhook integer not null,
  event_id text not null,
  event_type text not null,
  subject_id text not null,
  origin text not null,
  status text not null,
  attempt integer not null,
  most_attempts integer not null,
  created_ms integer not null,
  next_ms integer,
  attempted_ms integer,
  duration_ms integer,
  url text,
  response_status integer,
  error_code text,
  error_message text,
  response_body text,
  replay_cursor text,
  body blob
) strict;

create index webhook_delivery_by_webhook on webhook_delivery (webhook, seq);
create index webhook_delivery_due on webhook_delivery (webhook, next_ms) where next_ms is not null;
create index webhook_delivery_open on webhook_delivery (webhook, seq) where next_ms is not null;

-- How far the event log has been turned into deliveries, and a number that every change by a caller increments.
create table webhook_state (cursor text, revision integer not null) strict;
insert into webhook_state values (null, 0);
