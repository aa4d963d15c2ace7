-- One change of one parameter of one market in the last 366 days. Switches are 1 for on and 0 for off.
-- kind: full   grain: chain, market_id, changed_at, parameter
select
  c.chain, c.market_id, m.protocol, m.name, c.changed_at, c.parameter, c.old_value, c.new_value, c.is_plausible
from derived.market_parameter_change c
left join derived.lending_market m
  on m.chain = c.chain and m.market_id = c.market_id and m.valid_from <= @now and m.valid_to > @now
where c.changed_at > @now - 31622400 and c.changed_at <= @now
