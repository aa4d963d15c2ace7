// The published oracle paths: the oracle of each lending market, what it assumes, and what breaks when it is wrong.
import { ORACLE_PATH_SERIES, OraclePathSchema } from '../../../schemas/oracle-paths.ts';
import { defineDataset, defineSeries } from '../../define/dataset.ts';

export const oraclePathList = defineDataset({
  id: 'oracle-paths',
  title: 'Oracles of lending markets, what they assume, and what breaks when they are wrong',
  table: 'out.oracle_path',
  key: ['chain', 'market_id'],
  separator: ':',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', market_id: 'market_id' } },
  subjectsOf: ['oracle_price'],
  row: OraclePathSchema,
  updateCadenceSeconds: 300,
  series: defineSeries({
    definition: ORACLE_PATH_SERIES,
    table: 'derived.oracle_series_point',
    day: 'day',
    at: 'observed_at',
    key: ['chain', 'market_id'],
    values: {
      unrealised_bad_debt_low_usd: 'bad_debt_low_usd',
      unrealised_bad_debt_high_usd: 'bad_debt_high_usd',
    },
  }),
});
