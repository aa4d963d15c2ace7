// What a perfect observer would hold: the rows of each table, derived from what the sources truly returned by independent rules.
/** A row as text: its identity and its values. */
export interface ModelRow {
  readonly table: string;
  readonly key: string;
  readonly says: string;
}

type Json = { readonly [name: string]: unknown };

const textOf = (...parts: readonly unknown[]): string =>
  parts.map((part) => (typeof part === 'number' ? String(part) : String(part ?? ''))).join(' | ');
const numberOf = (value: unknown): number => Number(value);
/** The largest figure of the simulated world; larger figures are refused. */
const MAX_FIGURE = 1e15;
const isCredible = (value: unknown): boolean => numberOf(value) >= 0 && numberOf(value) <= MAX_FIGURE;
const listAt = (document: unknown, path: readonly string[]): readonly Json[] =>
  path.reduce((value, name) => (value as Json)[name], document) as readonly Json[];

/** Rows that a document contained at a time, Unix seconds. Repetitions are kept. */
export function rowsSaid(endpoint: string, document: unknown, at: number): readonly ModelRow[] {
  const rules = RULES[endpoint];
  return rules === undefined ? [] : rules(document, at);
}

const RULES: { readonly [endpoint: string]: (document: unknown, at: number) => readonly ModelRow[] } = {
  pools: (document, at) =>
    listAt(document, ['data'])
      .filter(({ tvlUsd }) => isCredible(tvlUsd) && numberOf(tvlUsd) !== 0)
      .map(({ chain, project, pool, tvlUsd, apy }) => ({
        table: 'yield_pool',
        key: textOf(`${OWN_CHAIN_NAMES[String(chain)]}/${project}/${pool}`, at),
        says: textOf(numberOf(tvlUsd), numberOf(apy)),
      })),
  protocols: (document, at) => (document as readonly Json[]).flatMap((one) => protocolRows(one, at)),
  coins: (document, at) =>
    listAt(document, ['peggedAssets']).map(({ id, symbol, pegMechanism }) => ({
      table: 'yield_coin',
      key: textOf(id, at),
      says: textOf(symbol, pegMechanism),
    })),
  directory: (document, at) =>
    (document as readonly Json[]).map(({ proxyAddress, feedId, heartbeat, decimals }) => ({
      table: 'feed_registry',
      key: textOf(proxyAddress ?? feedId, at),
      says: textOf(heartbeat, decimals),
    })),
  fundamentals: (document, at) =>
    (document as readonly Json[])
      .filter(({ value }) => isCredible(value))
      .map(({ origin_key, metric_key, date, value }) => ({
        table: 'layer2_metric',
        key: textOf(origin_key, METRIC_NAMES[String(metric_key)], Date.parse(String(date)) / 1000, at),
        says: textOf(numberOf(value)),
      })),
  'validator-days': (document) =>
    (document as readonly Json[])
      .filter(({ validators }) => isCredible(validators))
      .map(({ date, validators, staked_amount }) => ({
        table: 'network_a_stake',
        key: textOf(Date.parse(String(date)) / 1000),
        says: textOf(numberOf(validators), numberOf(staked_amount)),
      })),
  supply: (document) =>
    listAt(document, ['d1'])
      .filter(({ supply }) => isCredible(supply))
      .map(({ timestamp, supply }) => ({
        table: 'cross_check',
        key: textOf('ultrasound', 'ethereum', Date.parse(String(timestamp)) / 1000),
        says: textOf(numberOf(supply)),
      })),
  hacks: (document) =>
    (document as readonly Json[])
      .filter(({ amount }) => isCredible(amount) && numberOf(amount) !== 0)
      .map(({ name, date, amount }) => ({
        table: 'cross_check',
        key: textOf('defillama', String(name).toLowerCase(), date),
        says: textOf(numberOf(amount)),
      })),
  curators: (document, at) =>
    (document as readonly Json[]).map(({ id, name, verified }) => ({
      table: 'vault_curator',
      key: textOf(id, at),
      says: textOf(name, verified),
    })),
  near: (document, at) => {
    const { result } = document as { readonly result: Json };
    if ('header' in result) return [];
    const { epoch_height, current_validators } = result;
    const seats = (current_validators as readonly Json[]).map(
      ({ account_id, stake }) => `${account_id}|${stake}|false|0|`,
    );
    const says = textOf(epoch_height, seats.join('\n'));
    return [{ table: 'network_b_validators', key: textOf(at), says }];
  },
};

/** A pool is one listing of a venue on a chain: the same id on another chain is another pool. */
const OWN_CHAIN_NAMES: { readonly [name: string]: string } = {
  Ethereum: 'ethereum',
  'OP Mainnet': 'optimism',
  Base: 'base',
  Binance: 'bsc',
};

const METRIC_NAMES: { readonly [name: string]: string } = {
  txcount: 'tx_count',
  tvl: 'tvl_usd',
  fees_paid_usd: 'fees_usd',
};

function protocolRows({ slug, name, category, tvl, audits, listedAt }: Json, at: number): ModelRow[] {
  const value = numberOf(tvl);
  const isRestaking = category === 'Restaking' || category === 'Liquid Restaking';
  const says = textOf(value);
  const row = (table: string, subject: unknown, said: string) => ({
    table,
    key: textOf(subject, at),
    says: said,
  });
  return [
    ...(value === 0 || !isCredible(value) ? [] : [row('tvl_reading', slug, says)]),
    ...(value === 0 || !isCredible(value) || !isRestaking
      ? []
      : [row('restaking_state', String(name).toLowerCase().replaceAll(' ', ''), says)]),
    row('yield_venue', slug, textOf(listedAt, audits)),
  ];
}

/** Queries that read the same rows from the warehouse. */
export const TABLES: { readonly [table: string]: string } = {
  yield_pool: `select opportunity_id || ' | ' || observed_at as key, tvl_usd as a, net_apy as b from obs.yield_pool`,
  tvl_reading: `select split_part(entity, '|', 2) || ' | ' || observed_at as key, tvl_usd as a from obs.tvl_reading`,
  restaking_state: `select lower(name) || ' | ' || observed_at as key, total_restaked_usd as a from obs.restaking_state`,
  yield_venue: `select venue || ' | ' || observed_at as key, launched_at as a, audits as b from obs.yield_venue`,
  yield_coin: `select coin_id || ' | ' || observed_at as key, symbol as a, mechanism as b from obs.yield_coin`,
  feed_registry: `select feed_address || ' | ' || observed_at as key, heartbeat_s as a, decimals as b from obs.feed_registry`,
  layer2_metric: `select network || ' | ' || metric || ' | ' || day || ' | ' || known_at as key, value as a from obs.layer2_metric`,
  network_a_stake: `select observed_at || '' as key, num_validators as a, total_stake_native as b from obs.network_a_stake`,
  cross_check: `select source || ' | ' || subject || ' | ' || observed_at as key, value as a from obs.cross_check`,
  vault_curator: `select curator || ' | ' || observed_at as key, name as a, is_verified as b from obs.vault_curator`,
  network_b_validators: `select observed_at || '' as key, epoch_height as a, current_validators_entries as b from obs.network_b_validators`,
};

export const modelRow = (table: string, row: { readonly [name: string]: unknown }): ModelRow => ({
  table,
  key: String(row['key']),
  says: textOf(
    ...['a', 'b'].flatMap((name) => {
      const value = row[name];
      return value === undefined ? [] : [typeof value === 'bigint' ? Number(value) : value];
    }),
  ),
});
