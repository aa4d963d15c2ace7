-- Two tranches of one market overlap: the debt of a borrower may be in both.
select chain, market_id, observed_at, fall_from, reached
from derived.borrower_tranche
where fall_from < reached
