// Compares tables of a simulated month with the truth: tables with rows about stretches of time, or about the moment of a reading.
import { expect } from 'vitest';
import { START_S } from '../../../support/live-world/month.ts';
import { supplyAt } from '../../../support/live-world/near-node.ts';
import {
  commitsWithin,
  governorEventsWithin,
  paymentsWithin,
  postsWithin,
  proposalsWithin,
  roundsWithin,
  type Span,
  swapsWithin,
  vaultLogsWithin,
  votesWithin,
} from '../../../support/live-world/observer.ts';
import { DAY_S, HOUR_S } from '../../../support/live-world/truth-finance.ts';
import { borrowedAt, LENDING_MARKETS, suppliedAt } from '../../../support/live-world/truth-lending.ts';
import type { LiveWorld } from '../../../support/live-world/world.ts';
import type { Month } from './live-tables.ts';

const FORUM = 'governance.aave.com';
const SPACE = 'aavedao.eth';
/** Tables with rows about stretches of time, as text, and the rows they must hold in a span. */
const STRETCHES: readonly {
  readonly table: string;
  readonly sql: string;
  /** How long before the end a row may still be missing, and how much of the past is read, both in seconds. */
  readonly lag: number;
  readonly history: number;
  readonly wanted: (world: LiveWorld, span: Span) => ReadonlySet<string>;
}[] = [
  {
    table: 'feed_round',
    sql: `select observed_at as at, feed_address || ' | ' || round_id || ' | ' || answer || ' | ' || updated_at as says from obs.feed_round`,
    lag: HOUR_S,
    history: 2 * DAY_S,
    wanted: roundsWithin,
  },
  {
    table: 'social_message',
    sql: 'select sent_at as at, cast(sent_at as varchar) as says from obs.social_message',
    lag: HOUR_S,
    history: 6 * DAY_S,
    wanted: (_, span) => postsWithin(FORUM, span),
  },
  {
    table: 'governance_proposal',
    sql: `select distinct created_at as at, proposal_id || ' | ' || created_at as says from obs.governance_proposal`,
    lag: 2 * HOUR_S,
    history: 59 * DAY_S,
    wanted: (_, span) => proposalsWithin(SPACE, span),
  },
  {
    table: 'governance_vote',
    sql: `select earliest_at as at, vote_id || ' | ' || earliest_at as says from obs.governance_vote`,
    lag: 7 * HOUR_S,
    history: 29 * DAY_S,
    wanted: (_, span) => votesWithin(SPACE, span),
  },
  {
    table: 'governor_event',
    sql: `select event_at as at, tx_hash || ' | ' || log_index as says from obs.governor_event`,
    lag: 6 * HOUR_S,
    history: 2 * DAY_S,
    wanted: governorEventsWithin,
  },
  {
    table: 'vault_log',
    sql: `select block_timestamp as at, tx_hash || ' | ' || log_index || ' | ' || is_removed as says from obs.vault_log`,
    lag: 2 * HOUR_S,
    history: 2 * DAY_S,
    wanted: vaultLogsWithin,
  },
  {
    table: 'mev_swap',
    sql: `select observed_at as at, concat_ws(' | ', tx_hash, swap_index, pool_id, sender, token_in, token_out, cast(amount_in as hugeint), cast(amount_out as hugeint)) as says from obs.mev_swap`,
    lag: 2 * HOUR_S,
    history: DAY_S / 2,
    wanted: swapsWithin,
  },
  {
    table: 'relay_payment',
    sql: `select observed_at as at, concat_ws(' | ', relay, slot, block_hash, builder, cast(value_wei as varchar)) as says from obs.relay_payment`,
    lag: 3 * HOUR_S,
    history: 2 * DAY_S,
    wanted: (_, span) => paymentsWithin(span),
  },
  {
    table: 'development_commit',
    sql: 'select committed_at as at, commit_id as says from obs.development_commit',
    lag: 25 * HOUR_S,
    history: 2 * DAY_S,
    wanted: commitsWithin,
  },
];

/** Tables with rows about the moment of a reading: each row is true, and there are enough readings. */
const SAMPLES: readonly {
  readonly table: string;
  readonly sql: string;
  readonly isTrue: (row: { readonly [name: string]: unknown }) => boolean;
  /** Minimum number of rows per day, outages included. */
  readonly rowsADay: number;
}[] = [
  {
    table: 'market_state',
    sql: 'select market_id, observed_at, supplied, borrowed from obs.market_state order by observed_at',
    isTrue: ({ market_id, observed_at, supplied, borrowed }) => {
      const market = LENDING_MARKETS.find(({ id }) => id === market_id);
      if (market === undefined) return false;
      const unit = 10 ** market.loan.decimals;
      const [at, has] = [Number(observed_at), [supplied, borrowed].map(Number)];
      const wanted = [suppliedAt(market, at), borrowedAt(market, at)].map((amount) => Number(amount) / unit);
      return has.every((amount, index) => Math.abs(amount - (wanted[index] ?? 0)) <= amount * 1e-12);
    },
    rowsADay: LENDING_MARKETS.length * 4,
  },
  {
    table: 'network_b_block',
    sql: 'select height, observed_at, cast(total_supply_yocto as varchar) as supply from obs.network_b_block order by observed_at',
    isTrue: ({ height, supply }) => supply === supplyAt(Number(height)),
    rowsADay: 4,
  },
];

export const READ_TABLES = [...STRETCHES, ...SAMPLES].map(({ table }) => table);

export async function expectSamples({ context }: Month, days: number): Promise<void> {
  for (const { table, sql, isTrue, rowsADay } of SAMPLES) {
    const rows = await context.warehouse.rows(sql);
    expect({ table, untrue: rows.filter((row) => !isTrue(row)).slice(0, 3) }).toEqual({ table, untrue: [] });
    expect(`${table} ${rows.length >= days * rowsADay}`).toBe(`${table} true`);
    const newest = Number(rows.at(-1)?.['observed_at']);
    expect(`${table} ${newest >= START_S + days * DAY_S - 4 * HOUR_S}`).toBe(`${table} true`);
    console.info(`${table}: ${rows.length} rows, all of them true`);
  }
}

export async function expectStretches({ world, context }: Month, endS: number): Promise<void> {
  for (const { table, sql, lag, history, wanted } of STRETCHES) {
    const span = { from: START_S - history, to: endS - lag };
    const rows = (await context.warehouse.rows(sql)) as { at: unknown; says: unknown }[];
    const held = new Set(rows.map(({ says }) => String(says)));
    const all = wanted(world, { from: 0, to: endS });
    expect({ table, lost: [...wanted(world, span)].filter((one) => !held.has(one)).slice(0, 3) }).toEqual({
      table,
      lost: [],
    });
    expect({ table, untrue: [...held].filter((one) => !all.has(one)).slice(0, 3) }).toEqual({
      table,
      untrue: [],
    });
    expect({ table, rows: rows.length }).toEqual({ table, rows: held.size });
    console.info(`${table}: ${rows.length} rows, all of them true, none lost`);
  }
}
