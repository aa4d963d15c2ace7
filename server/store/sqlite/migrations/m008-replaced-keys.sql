-- The entries about a replaced key, in the words that PostgreSQL knows too.
drop index audit_entry_by_replaced;
create index audit_entry_by_replaced on audit_entry (details ->> 'replaces') where action = 'key.rotate';
