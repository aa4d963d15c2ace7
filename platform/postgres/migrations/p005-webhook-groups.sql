-- Grouping and quiet hours of subscriptions, as JSON, and the events that they hold back: `kind` is `window` (one subject, until `ends_ms`),
-- `quiet` (one subject, until the quiet hours end) or `single` (one event, until then). `severity` is the highest that was sent in a window,
-- null if one was unknown. `first_event_id` is the oldest event held; null in an open window that holds none.
alter table webhook add column grouping text;
alter table webhook add column quiet_hours text;

create table webhook_group (
  webhook bigint not null,
  kind text not null,
  name text collate "C" not null,
  ends_ms bigint,
  first_event_id text collate "C",
  severity text,
  held text,
  primary key (webhook, kind, name)
);

create index webhook_delivery_grouped on webhook_delivery (webhook, event_id) where next_ms is not null and origin = 'group';
