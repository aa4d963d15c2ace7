-- One validator response of a node. Each list has one line per entry: account, stake, whether slashed, shards and reason, separated by |;
-- empty for an empty list, null if the response has no such list.
-- kind: append   grain: network, observed_at   time: observed_at   order: network, observed_at
select
  network, observed_at, observed_at - observed_at % 86400 as day, epoch_height,
  current_validators_entries, next_validators_entries, current_fishermen_entries, current_proposals_entries,
  prev_epoch_kickout_entries, num_seats, num_validator_seats, stake_ratio_denominator,
  num_shards, protocol_version, source_id, fetched_at
from landing.network_b_validators
