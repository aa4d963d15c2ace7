// The fixture's datasets with a table of feeds, as the pages read it.
import type { Json, TableInfo } from '../../../snapshots/layout.ts';
import { AS_OF, datasetOf, fixtureDatasets, pairRow } from '../server-fixture.ts';

const text = { anyOf: [{ type: 'string' }, { type: 'null' }] };
const count = { anyOf: [{ type: 'integer' }, { type: 'null' }] };

const TABLE: TableInfo = {
  title: 'Price feeds of each oracle provider',
  key: ['provider'],
  separator: '/',
  shape: 'list',
  row: {
    type: 'object',
    properties: {
      ...Object.fromEntries(Object.keys(pairRow('A-B')).map((name) => [name, text])),
      heartbeat_s: count,
      deviation_bps: count,
      decimals: count,
    },
  },
};

type Feed = { readonly [member in keyof ReturnType<typeof pairRow>]: Json };

export const withFeeds = (feeds: readonly Feed[] = [pairRow('ETH-USD'), pairRow('USDT-USD')]) => [
  ...fixtureDatasets().filter(({ id }) => id !== 'oracle-pairs'),
  datasetOf('oracle-pairs', [{ key: 'chainlink', value: [...feeds] }], AS_OF, { table: TABLE }),
];
