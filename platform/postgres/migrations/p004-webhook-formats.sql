-- Formats of webhooks. `target` has the address and the key of a chat or paging product, sealed; `url` then shows only its host and a
-- fingerprint. `filters` narrows the event types.
alter table webhook add column format text not null default 'standard';
alter table webhook add column target text;
alter table webhook add column filters text not null default '{}';
