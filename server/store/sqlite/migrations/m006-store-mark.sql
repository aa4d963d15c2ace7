-- Identifies the seal key of the store, and the entry from which the audit log is keyed with it. `mac` covers both, so it differs per key.
create table store_mark (keyed_from integer not null, mac text not null) strict;

-- Audit entries about one key.
create index audit_entry_by_subject on audit_entry (subject, seq);
create index audit_entry_by_replaced on audit_entry (json_extract(details, '$.replaces')) where action = 'key.rotate';
