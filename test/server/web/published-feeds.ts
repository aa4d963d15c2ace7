// The fixture's datasets plus a table of feeds, as the pages read it.
import type { Json } from '../../../platform/base/json.ts';
import type { TableInfo } from '../../../snapshots/layout.ts';
import { AS_OF, datasetOf, fixtureDatasets, pairRow } from '../server-fixture.ts';

const text = { anyOf: [{ type: 'string' }, { type: 'null' }] };
const number = { anyOf: [{ type: 'number' }, { type: 'null' }] };
const count = { anyOf: [{ type: 'integer' }, { type: 'null' }] };

const more = {
  provider: 'chainlink',
  price: 1.5,
  risk_level: 'low',
  rounds: 24,
  invalid_rounds: 0,
  min_price: null,
  max_price: null,
  bounds_since: null,
  status_reason: null,
  doubts: [],
};

const TABLE: TableInfo = {
  title: 'Price feeds with their last answer',
  key: ['chain', 'feed_address'],
  separator: '|',
  shape: 'one',
  row: {
    type: 'object',
    properties: {
      ...Object.fromEntries(
        [...Object.keys(pairRow('A-B')), 'provider', 'risk_level'].map((name) => [name, text]),
      ),
      heartbeat_s: count,
      deviation_bps: count,
      decimals: count,
      price: number,
      rounds: count,
      invalid_rounds: count,
      min_price: number,
      max_price: number,
      bounds_since: text,
    },
  },
};

type Feed = { readonly [member in keyof ReturnType<typeof pairRow>]: Json };

/** Each feed has its own address. */
export const withFeeds = (feeds: readonly Feed[] = [pairRow('ETH-USD'), pairRow('USDT-USD')]) => [
  ...fixtureDatasets(),
  datasetOf(
    'feeds',
    feeds.map((feed, index) => {
      const feed_address = `0x${String(index).padStart(40, '0')}`;
      return { key: `${feed.chain}|${feed_address}`, value: { ...feed, ...more, feed_address } };
    }),
    AS_OF,
    { table: TABLE },
  ),
];
