import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SourceReading } from '../../../schemas/sources.ts';
import { rowChecks } from '../../../server/mcp/row-checks.ts';
import { type UsabilityFacts, usabilityOf } from '../../../server/mcp/usability.ts';
import type { DatasetEntry, InputSource, Manifest } from '../../../snapshots/layout.ts';
import { serviceVerdict } from '../../../snapshots/verdict.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const CADENCE_S = 300;
const FEED = '0xa1';
const WORLDS = 1_000;

/** What a version and a server state, before something goes wrong with them. */
interface Facts {
  manifest: Manifest;
  readings: SourceReading[];
  peg: Record<string, unknown> | undefined;
  nowMs: number;
  faults: { code: 'published_files' | 'ops_store'; message: string }[];
}

const entry = (): DatasetEntry => ({
  sha256: 'a',
  bytes: 1,
  documents: 1,
  computed_at: '2026-03-01T12:00:00Z',
  update_cadence_seconds: CADENCE_S,
  sources: [
    {
      ...{ id: 'chain', kind: 'onchain', name: 'Chain', url: null, chain: 'ethereum', block_number: null },
      ...{ observed_at: null, fetched_at: null, content_hash: null, license: null },
    },
  ],
  confidence: { score: 1, level: 'high', inputs_used: 1, inputs_expected: 1, reasons: [] },
  quality_gate: {
    verdict: 'pass',
    checks: [{ name: 'no row was refused', verdict: 'pass', detail: null }],
    evaluated_at: '2026-03-01T12:00:00Z',
    policy_version: '1',
  },
});

const source = (id: string, table: string): InputSource => ({ id, table, state: 'read', reason: null });

const reading = (): SourceReading => ({
  ...{ id: 'chain', table_name: 'feed_round', name: 'Chain', url: null, hosts: null, chain: null },
  ...{ state: 'reading', reason: null, setting: null, outcome: 'accepted', every_seconds: 60 },
  ...{ last_read_at: null, last_try_at: null, read_through_at: null, next_try_at: null },
  ...{ circuit_open_until: null, is_overdue: false, records: 1, history_pct: null, license: null },
  ...{ attribution: null, terms_url: null, redistributable: true },
});

const wellFacts = (): Facts => ({
  manifest: {
    ...{ schema_version: '1', version: 'V', generated_at: '', as_of: '2026-03-01T12:00:00Z', previous: null },
    ...{ engine_version: '1', methodology_version: '1', policy_version: '1' },
    inputs: {
      families: [
        {
          ...{ id: 'oracles', title: 'Feeds and pegs', is_derived: false, datasets: ['pegs', 'feeds'] },
          ...{ tables: ['feed_round'], essential: ['feed_round'], other_tables: ['registry'] },
        },
        {
          ...{ id: 'lending', title: 'Lending', is_derived: false, datasets: ['lending-markets'] },
          ...{ tables: ['market_state'], essential: [], other_tables: ['feed_round'] },
        },
        {
          ...{ id: 'social', title: 'Social', is_derived: false, datasets: ['social-scores'] },
          ...{ tables: ['message'], essential: [], other_tables: [] },
        },
      ],
      tables: ['feed_round', 'registry', 'market_state', 'message'].map((name) => ({
        ...{ name, is_sourced: true, has_rows: true },
      })),
      sources: [source('chain', 'feed_round'), source('list', 'registry'), source('talk', 'message')],
    },
    datasets: { pegs: entry(), feeds: entry(), 'lending-markets': entry(), 'social-scores': entry() },
    events: { last_event_id: null, count: 0, segments: [] },
  },
  readings: [reading()],
  peg: {
    ...{ chain: 'ethereum', asset_name: 'USDC', symbol: 'USDC', price: '1', state: 'pegged' },
    ...{ source_status: 'live', doubts: [], is_disputed: false },
    source_prices: [{ oracle_address: FEED }],
  },
  nowMs: NOW,
  faults: [],
});

function judge({ manifest, readings, peg, nowMs, faults }: Facts, more: Partial<UsabilityFacts> = {}) {
  const { reasons } = serviceVerdict({ manifest, nowMs, faults });
  const parts = ['ethereum', 'USDC'];
  const facts = {
    manifest,
    reasons,
    readings,
    kind: 'peg',
    dataset: 'pegs',
    parts,
    row: peg,
    nowMs,
  } as const;
  return usabilityOf({ ...facts, ...more });
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
const datasetsOf = ({ manifest }: Facts) => manifest.datasets as Record<string, DatasetEntry>;
const change = (facts: Facts, id: string, to: Partial<DatasetEntry>) => {
  datasetsOf(facts)[id] = { ...(datasetsOf(facts)[id] ?? entry()), ...to };
};
const gate = (verdict: 'pass' | 'warn' | 'fail' | 'not_evaluated', check = verdict) => ({
  ...entry().quality_gate,
  verdict,
  checks: [{ name: 'a check', verdict: check, detail: null }],
});
const held = (facts: Facts, dataset: string, subject: string, unnamed = 0) => {
  const writable = facts.manifest as Writable<Manifest>;
  const list = [...(writable.held_subjects?.list ?? [])];
  list.push({ dataset, subject, since: '', checks: [], reason: `${subject} is held back.` });
  writable.held_subjects = { total: list.length + unnamed, list };
};
const sourceState = (facts: Facts, index: number, state: InputSource['state']) => {
  const sources = (facts.manifest.inputs?.sources ?? []) as InputSource[];
  sources[index] = { ...(sources[index] ?? source('x', 'feed_round')), state };
};

/** Everything that can go wrong, by itself enough for not being usable. */
const FAULTS: Readonly<Record<string, (facts: Facts) => void>> = {
  'the gate of the dataset fails': (facts) => change(facts, 'pegs', { quality_gate: gate('fail') }),
  'the gate warns': (facts) => change(facts, 'pegs', { quality_gate: gate('warn') }),
  'the gate was not evaluated': (facts) =>
    change(facts, 'pegs', { quality_gate: gate('not_evaluated', 'pass') }),
  'a check fails although the gate passes': (facts) =>
    change(facts, 'pegs', { quality_gate: gate('pass', 'fail') }),
  'a check was not evaluated': (facts) =>
    change(facts, 'pegs', { quality_gate: gate('pass', 'not_evaluated') }),
  'no check ran': (facts) => change(facts, 'pegs', { quality_gate: { ...gate('pass'), checks: [] } }),
  'the dataset is missing': (facts) => {
    delete datasetsOf(facts)['pegs'];
  },
  'the subject is missing': (facts) => {
    facts.peg = undefined;
  },
  'the dataset is stale': (facts) => change(facts, 'pegs', { computed_at: '2026-03-01T11:49:59Z' }),
  'the dataset is aging': (facts) => change(facts, 'pegs', { computed_at: '2026-03-01T11:54:29Z' }),
  'the time of the dataset is unknown': (facts) => change(facts, 'pegs', { computed_at: 'then' }),
  'the version is overdue': (facts) => {
    facts.nowMs += 2 * CADENCE_S * 1_000 + 1_000;
  },
  'a newer version cannot be read': (facts) => {
    facts.faults.push({ code: 'published_files', message: 'A newer version is damaged.' });
  },
  'nothing is fetched any more': (facts) => {
    const { inputs } = facts.manifest;
    if (inputs !== undefined) (inputs as Writable<typeof inputs>).silent_since = 1;
  },
  'the inputs are not recorded': (facts) => {
    delete (facts.manifest as Writable<Manifest>).inputs;
  },
  'a source is overdue': (facts) => sourceState(facts, 0, 'overdue'),
  'a source fails': (facts) => sourceState(facts, 0, 'failing'),
  'a source of another family that it reads is overdue': (facts) => sourceState(facts, 1, 'overdue'),
  'a reading is overdue': (facts) => {
    facts.readings = [{ ...reading(), is_overdue: true }];
  },
  'a reading is in doubt': (facts) => {
    facts.readings = [{ ...reading(), state: 'suspect' }];
  },
  'it has no source': (facts) => change(facts, 'pegs', { sources: [] }),
  'the data is simulated': (facts) =>
    change(facts, 'pegs', { sources: entry().sources.map((one) => ({ ...one, kind: 'simulated' })) }),
  'the whole dataset is held back': (facts) => held(facts, 'pegs', '*'),
  'the subject is held back': (facts) => held(facts, 'pegs', 'ethereum USDC'),
  'subjects are held back that are not named': (facts) => held(facts, 'social-scores', 'x', 1),
  'a feed that prices it is held back': (facts) => held(facts, 'feeds', `ethereum ${FEED}`),
  'something of its family is held back': (facts) => held(facts, 'feeds', 'ethereum 0xb2'),
  'the feeds are held back': (facts) => change(facts, 'feeds', { quality_gate: gate('fail') }),
  'markets from the same feeds are held back': (facts) => held(facts, 'lending-markets', '*'),
  'its sources are silent': (facts) => {
    facts.peg = { ...facts.peg, source_status: 'silent' };
  },
  'its price is unknown': (facts) => {
    facts.peg = { ...facts.peg, price: null };
  },
  'its state is unknown': (facts) => {
    facts.peg = { ...facts.peg, state: 'unknown' };
  },
  'it is in doubt': (facts) => {
    facts.peg = { ...facts.peg, doubts: ['few_sources'] };
  },
  'its doubts are not stated': (facts) => {
    facts.peg = { ...facts.peg, doubts: undefined };
  },
  'it is disputed': (facts) => {
    facts.peg = { ...facts.peg, is_disputed: true };
  },
};

/** What has nothing to do with the subject. */
const UNRELATED: Readonly<Record<string, (facts: Facts) => void>> = {
  'social data fails': (facts) => change(facts, 'social-scores', { quality_gate: gate('fail') }),
  'a channel is held back': (facts) => held(facts, 'social-scores', 'discord curve'),
  'a source of messages is overdue': (facts) => sourceState(facts, 2, 'overdue'),
  'a market is held back': (facts) => held(facts, 'lending-markets', 'ethereum 0xb2'),
  'the store has a problem': (facts) => {
    facts.faults.push({ code: 'ops_store', message: 'Slow.' });
  },
};

describe('is_it_usable', () => {
  test('is usable while every check passes', () => {
    const { verdict, checks } = judge(wellFacts());
    expect(checks.filter((one) => one.verdict !== 'pass')).toEqual([]);
    expect(verdict).toBe('usable');
  });

  test.each(Object.keys(FAULTS))('is not usable when %s', (name) => {
    const facts = wellFacts();
    FAULTS[name]?.(facts);
    const { verdict, checks } = judge(facts);
    expect(verdict).not.toBe('usable');
    expect(checks.some((one) => one.verdict !== 'pass' && one.detail.length > 0)).toBe(true);
  });

  test.each(Object.keys(UNRELATED))('stays usable when %s', (name) => {
    const facts = wellFacts();
    UNRELATED[name]?.(facts);
    expect(judge(facts)).toMatchObject({ verdict: 'usable' });
  });

  test(`over ${WORLDS} worlds, is usable exactly where nothing that it rests on is wrong`, () => {
    const some = (names: Readonly<Record<string, unknown>>) =>
      fc.subarray(Object.keys(names), { maxLength: 4 });
    fc.assert(
      fc.property(some(FAULTS), some(UNRELATED), (faults, unrelated) => {
        const facts = wellFacts();
        for (const name of unrelated) UNRELATED[name]?.(facts);
        for (const name of faults) FAULTS[name]?.(facts);
        expect(judge(facts).verdict === 'usable').toBe(faults.length === 0);
      }),
      { numRuns: WORLDS },
    );
  });

  test('freshness ends a second after its slack', () => {
    const aged = (seconds: number) => judge({ ...wellFacts(), nowMs: NOW + seconds * 1_000 }).verdict;
    expect([aged(330), aged(331), aged(600), aged(601)]).toEqual([
      'usable',
      'usable_with_caution',
      'usable_with_caution',
      'do_not_use',
    ]);
  });

  test('before the first version nothing is usable', () => {
    expect(judge(wellFacts(), { manifest: undefined })).toMatchObject({ verdict: 'do_not_use' });
  });

  test.each(['peg', 'feed', 'market', 'yield', 'score'] as const)(
    'a row of a %s without members never passes',
    (kind) => {
      for (const row of [{}, null, [], [{}], 'text']) {
        const checks = rowChecks(kind, row);
        expect(checks.some(({ verdict }) => verdict === 'fail')).toBe(true);
      }
    },
  );
});
