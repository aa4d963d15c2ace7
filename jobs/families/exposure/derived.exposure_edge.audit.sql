-- The shares of one holder add up to more than the whole.
select node, sum(share) as total
from derived.exposure_edge
group by node
having sum(share) > 1.000001
