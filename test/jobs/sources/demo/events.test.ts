// From the generator through landing, models and detectors: the events of a small world are the scripted ones and no others.
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ingest, openIngest } from '../../../../jobs/ingest/land.ts';
import { demoSources } from '../../../../jobs/sources/demo/oracles.ts';
import { DemoWorld, incidents } from '../../../../jobs/sources/demo/oracles-world.ts';
import { feedRegistry, feedRound } from '../../../../jobs/families/oracles/raw.ts';
import type { Candidate } from '../../../../jobs/pipeline/events/emit.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { type OracleWorld, openOracleWorld, walk } from '../../families/oracles/oracle-world.ts';
import { STARTED_AT, settings } from './expand-rows.ts';

const SETTINGS = settings({ days: 5 });
const START = new DemoWorld(SETTINGS).start;
const UNTIL = STARTED_AT + 12 * 3_600;

let dir: string;
let world: OracleWorld;
let ingest: Ingest;

beforeAll(async () => {
  dir = temporaryFolder('demo-events');
  world = await openOracleWorld({ needs: { events: ['oracle.', 'peg.'] } });
  ingest = await openIngest({ dir, db: world.engine });
  const interval = { from: 0, to: UNTIL };
  for (const source of demoSources(SETTINGS)) {
    const raw = source.table === feedRound.name ? feedRound : feedRegistry;
    for await (const delivery of source.deliveries(interval)) {
      await ingest.land(raw, source.facts, delivery, { interval, fetchedAt: UNTIL });
    }
    const files = ingest.files(raw.name).map((file) => `'${file}'`);
    const fields = raw.fields.map(({ name }) => name);
    await world.landQuery(raw.name, raw.observations.model, `select ${fields} from read_parquet([${files}])`);
  }
});

afterAll(async () => {
  await world.close();
  rmSync(dir, { recursive: true, force: true });
});

const line = (pair: unknown, type: string, at: number) => `${at} ${type} ${pair}`;

function found({ envelope, event_at, type }: Candidate): string {
  const { market_id, asset_symbol } = envelope['data'] as { market_id?: string; asset_symbol?: string };
  return type === 'oracle.stale'
    ? line(market_id, `${type} ${envelope['severity']}`, event_at)
    : line(market_id ?? asset_symbol, type, event_at);
}

function scripted(): string[] {
  return incidents(SETTINGS, UNTIL).flatMap(({ feed, expect: events }) =>
    events
      .filter(({ confirmed_at }) => confirmed_at <= UNTIL)
      .map(({ type, severity, confirmed_at }) => {
        if (type === 'oracle.stale') return line(feed?.pair, `${type} ${severity}`, confirmed_at);
        const name = type.startsWith('peg.') ? feed?.pair.split('-')[0] : feed?.pair;
        return line(name, type, confirmed_at);
      }),
  );
}

test('the events of a world are exactly those that its incidents script', async () => {
  const log = await walk(world, START, [UNTIL]);
  expect(log.map(found).sort()).toEqual(scripted().sort());
  expect(new Set(log.map(({ type }) => type)).size).toBe(6);
});

test('a peg event from two feeds of a pair is not doubted, one from a single feed is', async () => {
  const pegs = (await walk(world, START, [UNTIL])).filter(({ type }) => type.startsWith('peg.'));
  const symbols = (isDoubted: boolean) =>
    new Set(
      pegs
        .filter(({ envelope }) => (envelope['data_quality'] === 'degraded') === isDoubted)
        .map(({ envelope }) => (envelope['data'] as { asset_symbol: string }).asset_symbol),
    );
  expect(symbols(false)).toEqual(new Set(['USDC', 'DAI']));
  expect(symbols(true)).toEqual(new Set(['STETH', 'MIM', 'PYUSD', 'USDE', 'USDT']));
});

test('the two spoilt rows are in quarantine with their reasons, and all others have landed', async () => {
  const reasons: string[] = [];
  for await (const row of ingest.listQuarantine()) reasons.push(row.reason);
  expect(reasons.sort()).toEqual([
    expect.stringMatching(/^answer: /),
    expect.stringMatching(/^updated_at: later than the fetch/),
  ]);
  const bad = ingest.receipts().filter((receipt) => receipt.rows_deduplicated > 0);
  expect(bad).toEqual([]);
});
