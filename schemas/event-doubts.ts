// Reasons to doubt an event at its time: each sets its `data_quality` to degraded and is a check of its quality gate. The header of
// an event type's query lists the doubts that it can raise.
export const EVENT_DOUBTS = {
  blocks_missing: 'blocks of the hour, or all of the hour before, are missing',
  close_missing: 'the day before has no close',
  feed_unregistered: 'no registry describes the feed',
  freshness_unverifiable: 'the feed has no heartbeat, or its market has hours that are not known',
  holiday_possible: 'the market of the feed has opened without an answer since: holidays are not modelled',
  legs_unequal: 'more was sold than was bought in the block',
  market_unregistered: 'no registry describes the market',
  oracle_stale: 'a feed behind the market was stale',
  oracle_unknown: 'no feed is known behind the market',
  oracle_unverifiable: 'it could not be verified that the feeds behind the market were fresh',
  outlier: 'the source calls its figures an outlier',
  pools_only: 'only pools price the asset',
  price_disputed: 'by the price of the other leg it is not large',
  price_one_sided: 'only one leg has a price',
  reading_old: 'the previous reading is too old',
  reference_new:
    'the reference is younger than the time that confirms a depeg: the price may not have followed it yet',
  round_went_back: 'the last answer of a feed has a lower round id than an earlier one of its phase',
  score_unknown: 'too few inputs for a risk score',
  signals_missing: 'some signals were not known',
  single_source: 'the price comes from a single source',
  sources_disagree:
    'sources of the price contradict each other: some are beyond the band and some are not, or two state prices that nothing explains',
  source_lags: 'a source has not answered while another moved by several times its deviation threshold',
  source_silent:
    'every other feed of the chain with this heartbeat is stale too: the source itself may be silent',
  state_contradictory: 'the figures of the market contradict each other',
  thin_pools_disagree: 'a pool that is too thin to carry a price, or of unknown depth, contradicts it',
  value_zero: 'a value of 0 may be a fault of the source',
  vault_unregistered: 'no registry describes the vault',
} as const;
export type EventDoubt = keyof typeof EVENT_DOUBTS;
