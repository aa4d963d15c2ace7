-- Organisations with so many outstanding deliveries that the others do not wait for them, and the last event for which their deliveries were
-- created. For an organisation without a row, that is the cursor of webhook_state.
create table webhook_behind (org text primary key, cursor text not null) strict;
