-- Which leader has the warehouse. A process that slept past the end of its term can no longer change anything here, and therefore no table
-- on Trino either: every change of a table is recorded here first.
create table leader_term (installation text not null, number bigint not null);
insert into leader_term values ('', 0);

create function refuse_outdated() returns trigger language plpgsql as $$
declare
  own_installation text := current_setting('warehouse.installation', true);
  own_number text := current_setting('warehouse.term', true);
begin
  if coalesce(own_number, '') <> '' then
    -- The lock makes a later leader wait until this transaction ends.
    perform 1 from meta.leader_term
    where installation = own_installation and number <= own_number::bigint for share;
    if not found then
      raise exception 'another leader has the warehouse; term % of this process is over', own_number;
    end if;
  end if;
  return null;
end $$;

create trigger refuse_outdated before insert or update or delete or truncate on installation
  for each statement execute function refuse_outdated();
create trigger refuse_outdated before insert or update or delete or truncate on model
  for each statement execute function refuse_outdated();
create trigger refuse_outdated before insert or update or delete or truncate on table_state
  for each statement execute function refuse_outdated();
create trigger refuse_outdated before insert or update or delete or truncate on bound
  for each statement execute function refuse_outdated();
create trigger refuse_outdated before insert or update or delete or truncate on absorbed
  for each statement execute function refuse_outdated();
