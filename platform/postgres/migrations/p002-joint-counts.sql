-- Counts shared by several servers. Unlogged: after a crash of the database the counts of a minute restart, and servers report their
-- streams again. All times are Unix milliseconds on the database's clock.
create unlogged table rate_window (
  subject text collate "C" primary key,
  started_ms bigint not null,
  allowed bigint not null,
  used_before bigint not null,
  used bigint not null
);

create index rate_window_by_start on rate_window (started_ms);

create unlogged table live_server (name text collate "C" primary key, seen_ms bigint not null);

create unlogged table open_streams (
  owner text collate "C" not null,
  server text collate "C" not null,
  open bigint not null,
  primary key (owner, server)
);

create function clock_ms() returns bigint language sql volatile as $$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint;
$$;

-- Serializes the servers per owner. `alive_ms`: how long a server that has stopped reporting still counts.
create function add_stream(of_owner text, by_server text, own bigint, allowed bigint, alive_ms bigint) returns boolean
language plpgsql as $$
declare
  others bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended(current_schema() || ' streams ' || of_owner, 0));
  select coalesce(sum(s.open), 0) into others
    from open_streams s join live_server l on l.name = s.server
    where s.owner = of_owner and s.server <> by_server and l.seen_ms > clock_ms() - alive_ms;
  if others + own >= allowed then
    return false;
  end if;
  insert into live_server values (by_server, clock_ms()) on conflict (name) do update set seen_ms = excluded.seen_ms;
  insert into open_streams values (of_owner, by_server, own + 1)
    on conflict (owner, server) do update set open = excluded.open;
  return true;
end;
$$;

-- Notifies listening servers at once that keys have changed. Servers also poll.
create function keys_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('keys_changed', current_schema());
  return null;
end;
$$;

create trigger keys_changed after update on key_revision for each statement execute function keys_changed();
