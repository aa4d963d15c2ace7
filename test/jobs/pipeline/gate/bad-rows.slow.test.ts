// Bad rows are judged by subject (decision 60), on states of several pools in one file.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { redrive } from '../../../../jobs/commands/work.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { type FileRow, type FileWorld, openFileWorld } from '../../../support/file-world.ts';
import { preparedCopy } from '../../../support/run-folder.ts';

const NOW = Date.UTC(2026, 2, 10, 9) / 1000;

const WORLD = { domains: [pools] };

let world: FileWorld;
beforeEach(() => {
  world = openFileWorld(WORLD);
});
afterEach(() => world.remove());

const state = (pool: string, second: number, kind: string): FileRow => ({
  chain: 'ethereum',
  pool,
  observed_at: NOW - 12_600 + second,
  kind,
  fee_pips: 3_000,
  symbols: 'USDC,ETH',
  decimals: '6,18',
  reserves: `${5_000_000 + second},1`,
});
/** `count` states, the newest last, of which the first `bad` have an unknown kind. */
const states = (pool: string, count: number, bad = 0) =>
  Array.from({ length: count }, (_, index) => state(pool, index, index < bad ? 'maybe' : 'product'));

const deliver = (rows: readonly FileRow[] | string) =>
  world.write('amm_pool_state', { 'states.ndjson': rows });

async function publish(rows: readonly FileRow[] | string, now = NOW) {
  deliver(rows);
  return world.run(now);
}

const published = () =>
  new Map(world.documents('pool-states').map(({ key, value }) => [key.replace('ethereum:', ''), value]));
const keys = () => [...published().keys()];
const gate = () => world.dataset('pool-states').quality_gate;
const words = () => world.words('pool-states').join('\n');

describe('a subject with too many refused rows', () => {
  it('is held back alone, with its missing rows and what releases them, however large the batch', async () => {
    expect(await publish([...states('large', 12_000), ...states('small', 198, 114)])).toBe(4);
    expect(keys()).toEqual(['large']);
    expect(gate().verdict).toBe('warn');
    expect(words()).toMatch(
      /small: 114 of 198 rows of amm_pool_state from amm-pool-state were refused \(kind: .*\); held back: deliver the rows again corrected, or run "quarantine redrive --batch [0-9a-f]+", to release it/,
    );
  });

  it('is not published as it last was either, while the others continue', async () => {
    await publish([...states('large', 300), ...states('small', 198)]);
    const before = published();
    const changed = [
      ...states('large', 400),
      ...states('small', 250).map((row, index) => (index < 220 ? row : state('small', index, 'maybe'))),
    ];
    expect(await publish(changed, NOW + 300)).toBe(4);
    const after = published();
    expect(after.has('small')).toBe(false);
    expect(after.get('large')).not.toEqual(before.get('large'));
  });

  it.each([
    [199, 3, false],
    [200, 2, false],
    [200, 3, true],
    [300, 3, false],
    [300, 4, true],
  ])('%i rows with %i bad ones: held back %j', async (rows, bad, isHeld) => {
    expect(await publish(states('small', rows, bad))).toBe(isHeld ? 4 : 0);
    expect(keys().includes('small')).toBe(!isHeld);
    // Nothing else is left to publish.
    expect(gate().verdict).toBe(isHeld ? 'fail' : 'warn');
    expect(words()).toContain(`small: ${bad} of ${rows} rows of amm_pool_state`);
  });
});

describe('one bad row', () => {
  it('of a subject with three rows only warns, even in a large batch; several bad rows hold the subject back', async () => {
    expect(await publish([...states('large', 500), ...states('small', 3, 1)])).toBe(0);
    expect(keys()).toEqual(['large', 'small']);
    expect(await publish([...states('large', 500), ...states('small', 8, 7)], NOW + 300)).toBe(4);
  });

  it('of 58 warns and holds nothing back, in this run and in later ones', async () => {
    const rows = [...states('large', 40), ...states('small', 18, 1)];
    for (const now of [NOW, NOW + 300, NOW + 600]) {
      expect(await publish(rows, now)).toBe(0);
      expect(keys()).toEqual(['large', 'small']);
      expect(gate().verdict).toBe('warn');
      expect(words()).toMatch(/small: 1 of 18 rows of amm_pool_state from amm-pool-state was refused \(/);
    }
  });
});

describe('rows whose subject cannot be read', () => {
  const lines = (good: number, broken: number) =>
    [...states('large', good).map((row) => JSON.stringify(row)), ...Array(broken).fill('{"pool":"la')].join(
      '\n',
    );

  it('count as rows of an unknown subject, and warn', async () => {
    expect(await publish(lines(300, 1))).toBe(0);
    expect(keys()).toContain('large');
    expect(words()).toMatch(
      /unknown subject: 1 of 301 rows of amm_pool_state from amm-pool-state was refused \(/,
    );
  });

  it('hold everything back if they exceed the limit: they may be about any subject', async () => {
    expect(await publish(lines(300, 5))).toBe(4);
    expect(world.manifest().datasets['pool-states']).toBeUndefined();
    expect(world.log()).toContain('unknown subject: 5 of 305 rows of amm_pool_state');
  });
});

describe('what is held back is released', () => {
  const BAD = [...states('large', 300), ...states('small', 100, 20)];
  const GOOD = [...states('large', 300), ...states('small', 100)];
  const isReleased = () => {
    expect(keys()).toEqual(['large', 'small']);
    expect(words()).not.toContain('refused');
  };
  beforeEach(async () => {
    world.remove();
    const held = await preparedCopy('held-back-states', async (folder) => {
      world = openFileWorld(WORLD, folder);
      expect(await publish(BAD)).toBe(4);
      expect(await publish(BAD, NOW + 300)).toBe(4);
    });
    world = openFileWorld(WORLD, held);
    deliver(BAD);
  });

  it.each([
    ['by the same file, corrected', () => publish(GOOD, NOW + 600)],
    ['by the same file, corrected in the same second', () => publish(GOOD, NOW + 300)],
    [
      'by another file with only the corrected rows',
      () => {
        world.write('amm_pool_state', { 'corrected.ndjson': states('small', 20) });
        return world.run(NOW + 600);
      },
    ],
  ])('%s', async (_how, deliver) => {
    expect(await deliver()).toBe(0);
    isReleased();
  });

  it('by all rows that are needed, and not by some of them', async () => {
    world.write('amm_pool_state', { 'corrected.ndjson': states('small', 10) });
    expect(await world.run(NOW + 600)).toBe(4);
    expect(words()).toContain('small: 10 of 100 rows');
    world.write('amm_pool_state', { 'corrected-2.ndjson': states('small', 20).slice(10, 19) });
    expect(await world.run(NOW + 900)).toBe(0);
    expect(keys()).toEqual(['large', 'small']);
    expect(words()).toContain('small: 1 of 100 rows');
  });

  it('not by a shorter file of the same name', async () => {
    expect(await publish(states('large', 200), NOW + 600)).toBe(4);
    expect(keys()).toEqual(['large']);
  });

  it('by redriving with a mapping that reads them', async () => {
    world.map('amm_pool_state', 'kind', { from: 'kind', replace: { maybe: 'product' } });
    expect(await world.work(NOW + 600, (opened) => redrive(opened, null))).toBe(0);
    isReleased();
  });
});
