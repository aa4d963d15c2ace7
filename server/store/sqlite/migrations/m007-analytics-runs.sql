-- Calculations charged to an organisation, once each, per UTC month such as `2026-03`.
create table analytics_run (
  org text not null,
  kind text not null,
  run_key text not null,
  month text not null,
  charged_ms integer not null,
  primary key (org, kind, run_key)
) strict, without rowid;

create index analytics_run_by_month on analytics_run (org, kind, month);
create index analytics_run_by_age on analytics_run (charged_ms);
