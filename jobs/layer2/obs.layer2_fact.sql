-- One fact of the registry with its source and the day it was read.
-- kind: view   grain: network, fact
select network, fact, text_value, number_value, note, source, checked_on
from landing.layer2_fact_policy
