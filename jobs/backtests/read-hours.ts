// The input of backtests: the known hours of every market, vault and published asset up to a midnight, read from the warehouse.
import type { MarketHours } from '../../models/exit-backtest.ts';
import type { ReturnHours } from '../../models/risk-backtest.ts';
import { type VaultHours, vaultExitHours } from '../../models/vault-exit-inputs.ts';
import type { Row } from '../engine/rows.ts';
import type { Queries } from '../engine/warehouse.ts';

/** Hours that end after `from` and up to `to`, Unix seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Series<Hours> {
  readonly id: string;
  readonly hours: Hours;
}

/** Every market that has a state, one after the other, ordered by id. A market may have no hours. */
export async function* marketHours(
  warehouse: Queries,
  { from, to }: Span,
): AsyncGenerator<Series<MarketHours>> {
  const rows = warehouse.stream(`
    select i.id, h.hour - 3600 as hour, h.flow, h.previous_supplied_usd, h.previous_withdrawable_usd
    from out.exit_input i
    left join derived.market_hour h
      on h.chain = i.chain and h.market_id = i.market_id and h.hour > ${from} and h.hour <= ${to}
      and h.flow is not null and h.previous_utilization is not null
    order by i.id, hour`);
  for await (const { id, own } of grouped(rows, 'id'))
    yield {
      id,
      hours: {
        hour: numbers(own, 'hour'),
        flow: numbers(own, 'flow'),
        supplied_usd: numbers(own, 'previous_supplied_usd'),
        withdrawable_usd: numbers(own, 'previous_withdrawable_usd'),
      },
    };
}

/**
 * Every vault of which at some hour it is known what can be withdrawn, ordered by id, `vault:<chain>:<address>`. The value of an hour is that
 * of its last state, as in the history that is published.
 */
export async function* vaultHours(
  warehouse: Queries,
  { from, to }: Span,
): AsyncGenerator<Series<MarketHours>> {
  const rows = warehouse.stream(`
    with state as (
      select
        concat('vault:', chain, ':', vault_address) as id, observed_at - observed_at % 3600 as hour, withdrawable_usd, total_assets,
        total_assets_usd,
        row_number() over (
          partition by chain, vault_address, observed_at - observed_at % 3600 order by observed_at desc
        ) as place
      from derived.vault_point
      where observed_at >= ${from} and observed_at < ${to}
    )
    select id, hour, withdrawable_usd, total_assets, total_assets_usd from state where place = 1 order by id, hour`);
  for await (const { id, own } of grouped(rows, 'id')) {
    const known = vaultExitHours(hoursOfVault(own), to);
    if (known.hour.length > 0) yield { id, hours: known };
  }
}

/** Every vault that had a state in the span, or that a registry listed at its end, whether or not anything of it was read. */
export async function vaultIds(warehouse: Queries, { from, to }: Span): Promise<readonly string[]> {
  const rows = await warehouse.rows(`
    select concat('vault:', chain, ':', vault_address) as id
    from derived.vault_point
    where observed_at >= ${from} and observed_at < ${to}
    union
    select concat('vault:', chain, ':', vault_address) as id
    from derived.lending_vault
    where valid_from <= ${to} and valid_to > ${to}`);
  return rows.map(({ id }) => String(id));
}

const hoursOfVault = (rows: readonly Row[]): VaultHours => ({
  t: numbers(rows, 'hour'),
  withdrawable_usd: numbersOrNull(rows, 'withdrawable_usd'),
  total_assets: numbersOrNull(rows, 'total_assets'),
  total_assets_usd: numbersOrNull(rows, 'total_assets_usd'),
});

/** Every asset with published returns, ordered by symbol. */
export async function* returnHours(
  warehouse: Queries,
  { from, to }: Span,
): AsyncGenerator<Series<ReturnHours>> {
  const rows = warehouse.stream(`
    select i.symbol, h.hour - 3600 as hour, h.hour_return
    from out.return_input i
    left join derived.return_hour h
      on h.symbol = i.symbol and h.hour > ${from} and h.hour <= ${to} and h.hour_return is not null
    order by i.symbol, hour`);
  for await (const { id, own } of grouped(rows, 'symbol'))
    yield { id, hours: { hour: numbers(own, 'hour'), return: numbers(own, 'hour_return') } };
}

/** Groups consecutive rows by the value of a column. A row without an hour stands for an empty group. */
async function* grouped(
  batches: AsyncIterable<readonly Row[]>,
  column: string,
): AsyncGenerator<{ readonly id: string; readonly own: readonly Row[] }> {
  let [id, own]: [string | null, Row[]] = [null, []];
  for await (const rows of batches) {
    for (const row of rows) {
      const next = String(row[column]);
      if (id !== null && next !== id) {
        yield { id, own };
        own = [];
      }
      id = next;
      if (row['hour'] !== null) own.push(row);
    }
  }
  if (id !== null) yield { id, own };
}

const numbers = (rows: readonly Row[], column: string): readonly number[] =>
  rows.map((row) => Number(row[column]));

const numbersOrNull = (rows: readonly Row[], column: string): readonly (number | null)[] =>
  rows.map((row) => (row[column] === null ? null : Number(row[column])));
