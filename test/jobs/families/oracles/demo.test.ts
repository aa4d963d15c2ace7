import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDuckDb } from '../../../../jobs/engine/duckdb/duckdb.ts';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { demoSources } from '../../../../jobs/sources/demo/oracles.ts';
import { DemoWorld } from '../../../../jobs/sources/demo/oracles-world.ts';
import { feedRegistry, feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import {
  deliveries,
  fingerprint,
  registry,
  roundRows,
  rounds,
  STARTED_AT,
  settings,
} from '../../sources/demo/expand-rows.ts';

const WORLD = settings();
const [REGISTRY, ROUNDS] = demoSources(WORLD);
const START = new DemoWorld(WORLD).start;
const ALL = { from: 0, to: STARTED_AT };

describe('what the demo world says of itself', () => {
  test('both sources are marked as simulated, in kind and in name', () => {
    expect(demoSources(WORLD).map(({ facts, table }) => [table, facts.kind, facts.name])).toEqual([
      ['feed_registry', 'simulated', expect.stringContaining('simulated')],
      ['feed_round', 'simulated', expect.stringContaining('simulated')],
    ]);
  });
});

describe('registry', () => {
  test('lists forty feeds from the first second of the world on, each at an address of its own', async () => {
    const rows = await registry(REGISTRY, { from: 0, to: START });
    expect(rows).toHaveLength(40);
    expect(new Set(rows.map((row) => row['feed_address'])).size).toBe(40);
    expect(new Set(rows.map((row) => row['observed_at']))).toEqual(new Set([START]));
    expect(await registry(REGISTRY, { from: START, to: START + 300 })).toEqual([]);
  });

  test('has every category, heartbeat class, market and kind of risk', async () => {
    const rows = await registry(REGISTRY, { from: 0, to: START });
    const values = (field: string) => [...new Set(rows.map((row) => row[field]))];
    expect(values('category')).toEqual(
      expect.arrayContaining(['Price', 'Exchange Rate', 'Proof of Reserve', 'NAVLink', 'Macroeconomics']),
    );
    expect(values('asset_class')).toEqual(
      expect.arrayContaining(['Crypto', 'Fiat', 'Equity', 'ETF', 'Commodity']),
    );
    expect(values('heartbeat_s')).toEqual(
      expect.arrayContaining([3_600, 7_200, 21_600, 82_800, 86_400, 97_200, 3_024_000, null]),
    );
    expect(values('market_hours')).toEqual(
      expect.arrayContaining(['crypto', 'nyse', 'us_equities_24/5', 'lse', 'forex', 'precious_metals', null]),
    );
    expect(values('decimals')).toEqual(expect.arrayContaining([8, 18]));
    expect(values('risk_level')).toEqual(
      expect.arrayContaining(['deprecating', 'low', 'medium', 'high', 'new']),
    );
  });

  test('lists each pegged asset with the quote its policy names, of every kind of peg that the policy has assets for', async () => {
    const rows = await registry(REGISTRY, { from: 0, to: START });
    const pairs = rows.map((row) => `${row['base']}-${row['quote']}`);
    const present = DEFAULT_POLICY.peg.assets.filter(({ symbol, quote }) =>
      pairs.includes(`${symbol}-${quote}`),
    );
    expect(new Set(present.map(({ kind }) => kind))).toEqual(
      new Set(DEFAULT_POLICY.peg.assets.map(({ kind }) => kind)),
    );
    for (const { reference_pair } of present)
      if (reference_pair !== undefined) expect(pairs).toContain(reference_pair);
    const twice = pairs.filter((pair, index) => pairs.indexOf(pair) < index && !pair.startsWith('RSETH'));
    expect(twice).toEqual(['ETH-USD', 'USDC-USD', 'DAI-USD']);
  });

  test('delivers exactly the fields of its raw table, but for what real registries leave out too', async () => {
    const [row] = await registry(REGISTRY, { from: 0, to: START });
    const left = [
      'base_address',
      'source_kind',
      'pool_address',
      'min_answer',
      'max_answer',
      'reports_rounds',
    ];
    const names = feedRegistry.fields.map((field) => field.name).filter((name) => !left.includes(name));
    expect(Object.keys(row ?? {}).sort()).toEqual(names.sort());
  });
});

describe('rounds do not depend on how time is cut', () => {
  test('any cuts of a stretch give the rows of the whole', async () => {
    const from = START + 10 * 86_400;
    const to = from + 86_400;
    const whole = fingerprint(await rounds(ROUNDS, { from, to }));
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: from + 1, max: to - 1 }), { maxLength: 12 }),
        async (inner) => {
          const cuts = [from, ...inner.sort((a, b) => a - b), to];
          const pieces = [];
          for (const [i, cut] of cuts.slice(1).entries())
            pieces.push(...(await rounds(ROUNDS, { from: cuts[i] ?? 0, to: cut })));
          expect(fingerprint(pieces)).toEqual(whole);
        },
      ),
      { numRuns: 25, seed: 7 },
    );
  });

  test('walking the whole history in days gives the rows of one pass', async () => {
    const pieces = [];
    for (let from = 0, to = START; from < STARTED_AT; from = to, to = Math.min(to + 86_400, STARTED_AT)) {
      pieces.push(...(await rounds(ROUNDS, { from, to })));
    }
    expect(fingerprint(pieces)).toEqual(fingerprint(await rounds(ROUNDS, ALL)));
  });

  test('a world that is asked in another order answers the same', async () => {
    const first = { from: STARTED_AT - 600, to: STARTED_AT };
    const [, fresh] = demoSources(WORLD);
    await rounds(fresh, { from: STARTED_AT, to: STARTED_AT + 90 * 86_400 });
    expect(await rounds(fresh, first)).toEqual(await rounds(ROUNDS, first));
  });

  test('an interval ends with its last second and begins after its first', async () => {
    const [round] = await rounds(ROUNDS, { from: START + 86_400, to: START + 90_000 });
    const at = round?.updated_at ?? 0;
    const holds = (rows: { round_id: string }[]) => rows.some((row) => row.round_id === round?.round_id);
    expect(holds(await rounds(ROUNDS, { from: at - 1, to: at }))).toBe(true);
    expect(holds(await rounds(ROUNDS, { from: at, to: at + 1 }))).toBe(false);
  });

  test('nothing is delivered for an empty interval or one before the world', async () => {
    expect(await deliveries(ROUNDS, { from: START + 900, to: START + 900 })).toEqual([]);
    expect(await deliveries(ROUNDS, { from: 0, to: START - 1 })).toEqual([]);
  });

  test('a later start changes nothing of what was readable before it', async () => {
    const restart = STARTED_AT + 5_000;
    const [, again] = demoSources(settings({ liveFrom: [STARTED_AT, restart] }));
    const before = { from: STARTED_AT - 86_400, to: restart };
    expect(fingerprint(await rounds(again, before))).toEqual(fingerprint(await rounds(ROUNDS, before)));
    const after = { from: restart, to: restart + 3_600 };
    expect(fingerprint(await rounds(again, after))).not.toEqual(fingerprint(await rounds(ROUNDS, after)));
  });
});

describe('the same seed gives the same bytes', () => {
  const digest = (rows: unknown) => createHash('sha256').update(JSON.stringify(rows)).digest('hex');

  test('the rows of a small world hash to a known value', async () => {
    const [registrySource, source] = demoSources(settings({ seed: 42, days: 2 }));
    const rows = [await registry(registrySource, ALL), await rounds(source, ALL)];
    expect(digest(rows)).toBe('8068d174e741e80138cb2156488960ad67b3011d64569a6c700f097e9aeebed9');
  });

  test('another seed gives other addresses and other prices', async () => {
    const [, other] = demoSources(settings({ seed: 2 }));
    const day = { from: START, to: START + 86_400 };
    const known = new Set(fingerprint(await rounds(ROUNDS, day)));
    expect(fingerprint(await rounds(other, day)).filter((row) => known.has(row))).toEqual([]);
  });

  test('a feed is the same in a larger world', async () => {
    const [, larger] = demoSources(settings({ feeds: 300 }));
    const day = { from: START, to: START + 86_400 };
    const expected = await rounds(ROUNDS, day);
    const addresses = new Set(expected.map((row) => row.feed_address));
    const same = (await rounds(larger, day)).filter((row) => addresses.has(row.feed_address));
    expect(fingerprint(same)).toEqual(fingerprint(expected));
  });
});

describe('the SQL of a delivery', () => {
  let engine: DuckDb;
  beforeAll(async () => {
    engine = await openDuckDb({ file: ':memory:', memoryLimit: '1GB', threads: 1, tempDir: tmpdir() });
  });
  afterAll(() => engine.close());

  test('gives the fields of the raw table as they are meant, also in a batch with a spoilt row', async () => {
    const batches = await deliveries(ROUNDS, { from: START + 8 * 86_400, to: START + 10 * 86_400 });
    expect(batches).toHaveLength(1);
    for (const [i, batch] of batches.entries()) {
      await engine.execute(`create table landing.d${i} (place bigint, code integer, block integer, head double, is_spoilt integer);
        create table landing.s${i} (code integer, chain varchar, feed_address varchar, decimals integer, phase integer, zeros varchar)`);
      const count = batch.shared?.values['chain']?.length ?? 0;
      const location = BigInt64Array.from({ length: batch.count }, (_, row) => BigInt(row));
      await engine.append(`landing.d${i}`, [
        { name: 'place', type: 'BIGINT', values: location },
        { name: 'code', type: 'INTEGER', values: batch.shared?.codes ?? [] },
        ...Object.entries(batch.columns).map(
          ([name, values]) => ({ name, type: name === 'head' ? 'DOUBLE' : 'INTEGER', values }) as const,
        ),
      ]);
      await engine.append(`landing.s${i}`, [
        { name: 'code', type: 'INTEGER', values: Int32Array.from({ length: count }, (_, code) => code) },
        ...Object.entries(batch.shared?.values ?? {}).map(
          ([name, values]) =>
            ({ name, type: values instanceof Int32Array ? 'INTEGER' : 'VARCHAR', values }) as const,
        ),
      ]);
      const left = ['answered_in_round', 'tx_hash', 'log_index'];
      const delivered = feedRound.fields.filter(
        (field) => field.computed === undefined && !left.includes(field.name),
      );
      const fields = delivered.map(({ name }) => `${batch.computed?.[name] ?? name} as ${name}`);
      const rows = await engine.rows(
        `select ${fields.join(', ')} from landing.d${i} join landing.s${i} using (code) order by place`,
      );
      expect(rows).toEqual(roundRows(batch));
      expect(rows.some((row) => row['answer'] === 'not a number')).toBe(true);
    }
  });
});
