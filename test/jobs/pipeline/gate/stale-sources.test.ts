import { afterAll, beforeAll, expect, test } from 'vitest';
import { coverage } from '../../../../jobs/families/coverage/domain.ts';
import type { Source } from '../../../../jobs/define/source.ts';
import { IngestError } from '../../../../jobs/ingest/errors.ts';
import { lending } from '../../../../jobs/families/lending/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { run } from '../../../../jobs/pipeline/run/run.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { inWorld, publishedManifest, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { withEvents } from '../../../support/with-events.ts';

const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const LATER = NOW + 3 * 3_600;
const OPTIONS = {
  flags: ['--demo-days', '3', '--demo-feeds', '40'],
  now: LATER,
  domains: withEvents([sources, oracles, pools, lending, coverage]),
};

/** States of markets stop arriving, and the source of vaults fails. */
function troubled(source: Source): Source {
  if (source.table === 'market_state') return { ...source, deliveries: async function* () {} };
  if (source.table !== 'vault_log') return source;
  const deliveries = () => {
    throw new IngestError('bad_delivery', 'the node is gone', { todo: 'Wait for it' });
  };
  return { ...source, deliveries };
}

let folder: TestFolder;
const gates = () => {
  const { datasets } = publishedManifest(folder.dir);
  return Object.fromEntries(Object.entries(datasets).map(([id, entry]) => [id, entry.quality_gate]));
};
let before: ReturnType<typeof gates>;
let after: ReturnType<typeof gates>;

beforeAll(async () => {
  folder = testFolder();
  await inWorld(folder.dir, OPTIONS, async (world) => {
    const options = { gather: true, detect: 'nothing', publish: true } as const;
    await run(world, { interval: { from: -1, to: NOW }, ...options });
    before = gates();
    const changed = { ...world, sources: world.sources.map(troubled) };
    await run(changed, { interval: { from: NOW, to: LATER }, ...options });
    after = gates();
  });
}, 120_000);
afterAll(() => folder.remove());

/** What the check of that name warns of, by dataset. */
const warnings = (of: ReturnType<typeof gates>, name: string) =>
  Object.fromEntries(
    Object.entries(of).flatMap(([id, { checks }]) => {
      const found = checks.find((check) => check.name === name && check.verdict === 'warn');
      return found === undefined ? [] : [[id, found.detail]];
    }),
  );

test('as long as every source delivers, gates warn only of two spoilt rounds and of single markets whose feeds are stale or cannot be verified', () => {
  const details = Object.values(before).flatMap(({ checks }) =>
    checks.flatMap(({ verdict, detail }) => (verdict === 'warn' ? [detail] : [])),
  );
  expect([...new Set(details)].toSorted()).toEqual([
    '1 of 23 markets have a stale feed behind them; 2 of 23 markets have a feed behind them that cannot be verified',
    // Two feeds have no rounds yet, and one market has a gap in its states.
    expect.stringMatching(
      /^(ethereum \S+: 1 row of feed_registry landed, .* no record is published(; )?){2}$/,
    ),
    expect.stringMatching(/^ethereum \S+: 2 of \d+ rows of feed_round from demo-rounds were refused/),
    expect.stringMatching(/^market_state of ethereum \S+: 7 rows are missing, the most between/),
  ]);
});

test('datasets that depend on a source that fell silent report a stale input; other datasets do not', () => {
  const stale = warnings(after, 'no input is stale');
  expect(Object.keys(stale).toSorted()).toEqual([
    'coverage',
    'coverage-history',
    'lending-markets',
    'manifest-summary',
  ]);
  expect(stale['lending-markets']).toMatch(
    /^the newest row of market_state is \d+ s old, 5400 s are allowed$/,
  );
  expect(after['lending-markets']?.verdict).toBe('warn');
});

test('single stale markets are counted as well', () => {
  const about = after['lending-markets']?.checks.find(({ name }) => name.startsWith('Markets whose state'));
  expect(about?.verdict).toBe('warn');
  expect(about?.detail).toMatch(/(^| )(\d+) of \2 markets have a stale state(;|$)/);
});

test('datasets that depend on a failing source name it', () => {
  const missing = warnings(after, 'every input is there');
  expect(Object.keys(missing).toSorted()).toEqual([
    'coverage',
    'coverage-history',
    'lending-vaults',
    'manifest-summary',
    'vault-events',
  ]);
  expect(missing['vault-events']).toContain('The node is gone. Wait for it.');
});
