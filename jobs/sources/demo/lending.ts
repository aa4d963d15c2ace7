// Lending in the demo world: its registries, the states and parameters of its markets, and the logs of its vaults, as sources.

import type { Interval, Source } from '../../define/source.ts';
import { timeOf } from './scenario/block.ts';
import {
  CURATORS,
  curatorAddress,
  type DemoMarket,
  type DemoVault,
  demoMarkets,
  demoVaults,
  PROTOCOLS,
} from './scenario/lending-markets.ts';
import {
  type Calendar,
  calendarOf,
  type DemoParameters,
  type DemoState,
  parametersIn,
  statesIn,
} from './scenario/lending-states.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';
import { type Row, simulatedAs } from './scenario/simulated.ts';
import { blockHash, type DemoLog, dataOf, logsIn, topicsOf, txHash } from './lending-logs.ts';

interface Setting {
  readonly seed: number;
  /** Time at which the registries are delivered, Unix seconds. */
  readonly listedAt: number;
  readonly calendar: Calendar;
  readonly markets: readonly DemoMarket[];
  readonly vaults: readonly DemoVault[];
}

export function lendingDemoSources(settings: DemoSettings): readonly Source[] {
  const { seed, days, startedAt } = settings;
  const calendar = calendarOf(settings);
  const markets = demoMarkets(settings);
  const vaults = demoVaults(seed, markets);
  const setting = { seed, listedAt: firstDay(startedAt, days), calendar, markets, vaults };
  return [...registries(setting), ...series(setting)];
}

/** Registries are delivered once, when the demo world begins. */
function registries({ seed, listedAt, markets, vaults }: Setting): readonly Source[] {
  const once = (id: string, table: string, rows: readonly Row[]) =>
    simulatedAs(id, table, ({ from, to }) =>
      listedAt > from && listedAt <= to ? rows.map((row) => ({ ...row, observed_at: listedAt })) : [],
    );
  const protocols = PROTOCOLS.map(([protocol, name, category]) => ({ protocol, name, category }));
  return [
    once('lending-protocols', 'lending_protocol', protocols),
    once('lending-markets', 'lending_market', markets.map(marketRow)),
    once('market-oracles', 'market_oracle', markets.flatMap(oracleRows)),
    once(
      'lending-vaults',
      'lending_vault',
      vaults.flatMap((vault) => vaultRows(seed, vault)),
    ),
    once(
      'vault-curators',
      'vault_curator',
      CURATORS.map((name, index) => curatorRow(seed, name, index)),
    ),
  ];
}

const series = ({ seed, calendar, markets, vaults }: Setting): readonly Source[] => [
  simulatedAs('market-states', 'market_state', (interval) =>
    [...statesIn(markets, calendar, interval)].map(stateRow),
  ),
  simulatedAs('market-parameters', 'market_parameter', (interval) =>
    [...parametersIn(markets, calendar, interval)].map(parameterRow),
  ),
  simulatedAs('vault-logs', 'vault_log', (interval) =>
    [...logsIn(vaults, calendar, interval)].flatMap((log) => logRows(seed, log, interval)),
  ),
];

const marketRow = (market: DemoMarket): Row => ({
  chain: market.chain,
  market_id: market.market_id,
  protocol: market.protocol,
  loan_symbol: market.loan,
  collateral_symbol: market.collateral,
  lltv: market.lltv,
  category: market.category,
  provider: 'chainlink',
  risk_level: market.risk,
  edge_case_flags: market.flags,
});

const oracleRows = ({ chain, market_id, oracles }: DemoMarket): readonly Row[] =>
  oracles.map((oracle_address) => ({ chain, market_id, oracle_address, provider: 'chainlink' }));

const vaultRows = (seed: number, { vault_address, name, asset, index }: DemoVault): readonly Row[] =>
  name === null
    ? []
    : [
        {
          chain: 'ethereum',
          vault_address,
          protocol: 'morpho',
          name,
          asset_symbol: asset,
          curator_address: curatorAddress(seed, index),
          version: '1.1',
        },
      ];

const curatorRow = (seed: number, name: string, index: number): Row => ({
  curator: name.toLowerCase().replace(' ', '-'),
  name,
  is_verified: index < 2,
  addresses: JSON.stringify({ 1: [curatorAddress(seed, index)] }),
});

const stateRow = ({ market, ...state }: DemoState): Row => ({
  chain: market.chain,
  market_id: market.market_id,
  ...state,
});

const parameterRow = ({ market, ...parameters }: DemoParameters): Row => ({
  chain: market.chain,
  market_id: market.market_id,
  ...parameters,
  is_active: true,
  is_paused: false,
});

/** The log if its block is in the interval, and its removal if that is in the interval. */
function logRows(seed: number, log: DemoLog, { from, to }: Interval): readonly Row[] {
  const [topic0 = null, topic1 = null, topic2 = null, topic3 = null] = topicsOf(log);
  const block_timestamp = timeOf(log.block);
  const row = {
    chain: 'ethereum',
    vault_address: log.vault.vault_address,
    block_number: log.block,
    block_hash: blockHash(seed, log.block),
    block_timestamp,
    tx_hash: txHash(seed, log),
    log_index: log.log_index,
    topic0,
    topic1,
    topic2,
    topic3,
    data: dataOf(log),
    sender_address: log.vault.owner,
  };
  const isWithin = (at: number) => at > from && at <= to;
  return [
    ...(isWithin(block_timestamp) ? [{ ...row, is_removed: false, removed_at: null }] : []),
    ...(log.removed_at !== null && isWithin(log.removed_at)
      ? [{ ...row, is_removed: true, removed_at: log.removed_at }]
      : []),
  ];
}
