-- One fact about a served layer-2 network, with its source and the day on which it was read.
-- kind: full   grain: network, fact
select f.network, f.fact, f.text_value as value, f.note, f.source, f.checked_on
from policy.layer2_fact f
join obs.layer2_network n on n.network = f.network
