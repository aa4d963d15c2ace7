-- Who leads and who reads which source. A lease ends when its holder has not renewed it for a while or has lost its connection. Terms only
-- grow: a later lease has a higher term. Times are Unix milliseconds on the database's clock.
create table lease (
  name text collate "C" primary key,
  holder text not null,
  last_holder text not null,
  term bigint not null,
  renewed_ms bigint not null
);

create sequence lease_term;

-- Distinguishes the folders of this installation from those of another.
create table lease_installation (id text not null);
insert into lease_installation values (replace(gen_random_uuid()::text, '-', ''));
