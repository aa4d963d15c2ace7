-- Two pegged assets of one name: what is said of one would be taken for the other.
select chain, symbol, quote, asset_id, asset_name
from (select *, count(*) over (partition by chain, asset_name) as assets from derived.peg_asset) named
where assets > 1
