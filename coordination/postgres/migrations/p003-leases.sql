-- Who leads, and who reads which source. A lease ends when its holder has not renewed it for a while, or has no connection any more. Terms
-- only grow: whoever took a lease later has the higher one. Times are of the database's clock, Unix milliseconds.
create table lease (
  name text collate "C" primary key,
  holder text not null,
  last_holder text not null,
  term bigint not null,
  renewed_ms bigint not null
);

create sequence lease_term;

-- Distinguishes the folders of this installation from those of another one.
create table lease_installation (id text not null);
insert into lease_installation values (replace(gen_random_uuid()::text, '-', ''));
