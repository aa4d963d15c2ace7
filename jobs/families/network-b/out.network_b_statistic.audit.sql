-- A day whose total stake exceeds the supply.
select s.network, s.day, v.total_stake_yocto, b.total_supply_yocto
from out.network_b_statistic s
join derived.network_b_validator_day v on v.network = s.network and v.day = s.day
join derived.network_b_block_day b on b.network = s.network and b.day = s.day
where v.total_stake_yocto > b.total_supply_yocto
