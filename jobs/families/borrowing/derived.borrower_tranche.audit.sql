-- Two tranches of one market overlap, so a borrower's debt may be counted twice.
select chain, market_id, observed_at, fall_from, reached
from derived.borrower_tranche
where fall_from < reached
