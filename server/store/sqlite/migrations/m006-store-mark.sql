-- Which seal key the store belongs to, and from which entry on the audit log is keyed by it. `mac` is over both: another key gives another.
create table store_mark (keyed_from integer not null, mac text not null) strict;

-- The entries about one key.
create index audit_entry_by_subject on audit_entry (subject, seq);
create index audit_entry_by_replaced on audit_entry (json_extract(details, '$.replaces')) where action = 'key.rotate';
