-- Audit entries about a replaced key, in syntax that PostgreSQL shares.
drop index audit_entry_by_replaced;
create index audit_entry_by_replaced on audit_entry (details ->> 'replaces') where action = 'key.rotate';
