// The bounds of feeds, read from the contracts behind their proxies: delivered once and when they change, kept while they cannot be read.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parseAbi } from 'viem';
import { expect, test } from 'vitest';
import type { Recording } from '../../../../jobs/sources/live/fetch/recording.ts';
import { bodyPath } from '../../../../jobs/sources/live/fetch/recording-store.ts';
import { ChainNode } from '../../../support/live-world/chain-node.ts';
import { type Contract, contractOf } from '../../../support/live-world/contracts.ts';
import { json, replayServer } from './http/replay-server.ts';
import { openFixture, sourceOf } from './fetching-fixture.ts';

const ABI = parseAbi([
  'function aggregator() view returns (address)',
  'function minAnswer() view returns (int192)',
  'function maxAnswer() view returns (int192)',
]);
const addressOf = (digit: string) => `0x${digit.repeat(40)}` as const;
const [LUNA, ETH, OLD, NEW, ETH_AGGREGATOR] = [...'abcde'].map(addressOf);

interface Contracts {
  readonly luna: `0x${string}` | undefined;
  readonly bounds: readonly [min: bigint | undefined, max: bigint | undefined];
}

const bounded = (min: bigint | undefined, max: bigint | undefined): Contract =>
  contractOf(ABI, { minAnswer: () => min, maxAnswer: () => max });

const BEFORE: Contracts = { luna: OLD, bounds: [10_000_000n, 100_000_000_000n] };

const nodeOf = ({ luna, bounds }: Contracts) =>
  new ChainNode(
    new Map<string, Contract>([
      [LUNA ?? '', contractOf(ABI, { aggregator: () => luna })],
      [ETH ?? '', contractOf(ABI, { aggregator: () => ETH_AGGREGATOR })],
      [OLD ?? '', bounded(...bounds)],
      [NEW ?? '', bounded(1n, 2n ** 190n)],
      [ETH_AGGREGATOR ?? '', bounded(undefined, undefined)],
    ]),
    [],
  );

const source = sourceOf({
  table: 'feed_bounds',
  chain: 'ethereum',
  every: '1h',
  format: 'ndjson',
  guards: { min_records: 0 },
  request: {
    url: 'https://node.example',
    chain: { id: 1, read: 'feed_bounds', directory: 'https://api.example/bounded-feeds.json' },
  },
});

async function opened() {
  let state = BEFORE;
  const node = await replayServer(({ body }) =>
    json(nodeOf(state).answer(body, fixture.clock.nowMs() / 1000)),
  );
  const fixture = await openFixture(() => json([{ proxyAddress: LUNA }, { proxyAddress: ETH }]), {
    node: node.address,
  });
  const rowsOf = (recording: Recording | undefined) => {
    const page = recording?.pages.at(-1);
    if (recording === undefined || page === undefined || recording.outcome === 'failed') return [];
    const text = gunzipSync(readFileSync(bodyPath(fixture.folder, recording, page))).toString();
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  };
  return {
    /** What the next reading finds. */
    async read(next: Partial<Contracts> = {}) {
      state = { ...state, ...next };
      await fixture.clock.sleep(3_600_000);
      await fixture.start(source).once();
      const last = (await fixture.recordings()).at(-1);
      return { rows: rowsOf(last), missing: last?.missing, outcome: last?.outcome, reasons: last?.reasons };
    },
    async close() {
      await fixture.close();
      await node.close();
    },
  };
}

test('bounds are delivered once, again when the contract behind the proxy changes, and a feed without them is named', async () => {
  const reading = await opened();
  const first = await reading.read();
  expect(first.rows).toMatchObject([
    {
      chain: 'ethereum',
      feed_address: LUNA,
      aggregator_address: OLD,
      min_answer: '10000000',
      max_answer: '100000000000',
    },
  ]);
  const unknown = { subject: ETH, reason: `its aggregator ${ETH_AGGREGATOR} does not state its bounds` };
  expect(first.missing).toEqual([unknown]);
  expect(await reading.read()).toMatchObject({ rows: [], missing: [unknown] });
  const { rows } = await reading.read({ luna: NEW });
  expect(rows).toMatchObject([{ feed_address: LUNA, aggregator_address: NEW, min_answer: '1' }]);
  await reading.close();
});

test.each([
  ['names no aggregator', { luna: undefined }, /names no aggregator/],
  ['states only one bound', { bounds: [1n, undefined] }, /does not state its bounds/],
  ['states bounds that leave no answer', { bounds: [5n, 5n] }, /bounds that leave no answer: 5 to 5/],
] as [string, Partial<Contracts>, RegExp][])(
  'a feed that %s delivers nothing, and is named',
  async (_, change, reason) => {
    const reading = await opened();
    await reading.read();
    const after = await reading.read(change);
    expect(after.rows).toEqual([]);
    // No feed is left to read, so the reading failed as a whole and the bounds delivered before stay.
    expect(after.outcome).toBe('failed');
    expect(after.reasons?.join()).toMatch(reason);
    await reading.close();
  },
);
