-- Organisations that so many deliveries are to be made for that the others do not wait for them, and the last event that theirs are made
-- for. Without a row it is the cursor of webhook_state.
create table webhook_behind (org text primary key, cursor text not null) strict;
