-- Which leader has the warehouse. A process of an earlier term, which slept past its end, changes nothing here any more; it has to record each
-- change of a table before it asks Trino for it.
create table leader_term (installation text not null, number bigint not null);
insert into leader_term values ('', 0);

create function refuse_outdated() returns trigger language plpgsql as $$
declare
  own_installation text := current_setting('warehouse.installation', true);
  own_number text := current_setting('warehouse.term', true);
begin
  if coalesce(own_number, '') <> '' then
    -- With the lock, a later leader waits for the end of this transaction.
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
