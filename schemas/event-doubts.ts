// What can speak against an event at its own second: each makes its `data_quality` degraded and is a check of its quality gate. Every
// type names those that its inputs can have, in the header of its query.
export const EVENT_DOUBTS = {
  blocks_missing: 'blocks of the hour, or all of the hour before, are missing',
  close_missing: 'the day before has no close',
  feed_unregistered: 'no registry describes the feed',
  freshness_unverifiable: 'the feed has no heartbeat, or its market has hours that are not known',
  holiday_possible: 'the market of the feed has opened and nothing has come since: holidays are not modelled',
  market_unregistered: 'no registry describes the market',
  oracle_stale: 'a feed behind the market was stale',
  oracle_unknown: 'no feed is known behind the market',
  oracle_unverifiable: 'whether a feed behind the market was fresh could not be told',
  outlier: 'the source calls its figures an outlier',
  price_disputed: 'by the price of the other leg it is not large',
  price_one_sided: 'one leg alone has a price',
  reading_old: 'the reading before is older than a reading may be',
  score_unknown: 'too little was known for a risk score',
  signals_missing: 'not every signal was known',
  single_source: 'one source alone tells the price',
  sources_disagree: 'some sources of the price are beyond the band and some are not',
  source_silent:
    'every other feed of the chain that should speak as often is stale too: the source may be what is silent',
  value_zero: 'a value of nothing is as likely a fault of the source',
  vault_unregistered: 'no registry describes the vault',
} as const;
export type EventDoubt = keyof typeof EVENT_DOUBTS;
