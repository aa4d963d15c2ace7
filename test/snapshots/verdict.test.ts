// The verdict of the service: `ok` only if every configured input is read, accepted and published and the publisher is at work.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_SOURCE } from '../../schemas/provenance.ts';
import type { DatasetEntry, InputSource, Inputs, Manifest, SourceState } from '../../snapshots/layout.ts';
import { serviceVerdict } from '../../snapshots/verdict.ts';

const AT = '2026-03-10T09:30:00Z';
const AT_MS = Date.parse(AT);
const CADENCE_S = 300;

const entry = (more: Partial<DatasetEntry> = {}): DatasetEntry => ({
  sha256: '',
  bytes: 0,
  documents: 2,
  computed_at: AT,
  update_cadence_seconds: CADENCE_S,
  sources: [],
  confidence: { score: 1, level: 'high', inputs_used: 1, inputs_expected: 1, reasons: [] },
  quality_gate: { verdict: 'pass', checks: [], evaluated_at: AT, policy_version: '1.0.0' },
  ...more,
});

const failed = entry({
  quality_gate: {
    verdict: 'fail',
    checks: [{ name: 'rows fit their schema', verdict: 'fail', detail: 'USDC: price must be number' }],
    evaluated_at: AT,
    policy_version: '1.0.0',
  },
});

const source = (id: string, table: string, state: SourceState = 'read'): InputSource => ({
  id,
  table,
  state,
  reason: state === 'read' ? null : `why ${id}`,
});

const PEGS = {
  id: 'oracles',
  title: 'Pegs',
  is_derived: false,
  datasets: ['pegs', 'feeds'],
  tables: ['feed_registry', 'feed_round'],
  essential: ['feed_registry', 'feed_round'],
  other_tables: [],
};
const LENDING = {
  id: 'lending',
  title: 'Lending',
  is_derived: false,
  datasets: ['lending-markets'],
  tables: ['market_state', 'vault_log'],
  essential: [],
  other_tables: ['feed_round'],
};
const TABLES = ['feed_registry', 'feed_round', 'market_state', 'vault_log'];

const WHOLE: readonly InputSource[] = [
  source('registry', 'feed_registry'),
  source('rounds', 'feed_round'),
  source('more-rounds', 'feed_round'),
  source('states', 'market_state'),
  source('logs', 'vault_log'),
];

function inputsOf(sources: readonly InputSource[], families = [PEGS, LENDING]): Inputs {
  const tables = TABLES.map((name) => {
    const own = sources.filter(
      ({ table, state }) => table === name && state !== 'off' && state !== 'needs_key',
    );
    const has_rows = own.some(({ state }) => !['never_read', 'empty'].includes(state));
    return { name, is_sourced: own.length > 0, has_rows };
  });
  return { families, tables, sources };
}

const DATASETS = { pegs: entry(), feeds: entry(), 'lending-markets': entry() };

const manifest = (more: Partial<Manifest> = {}): Manifest => ({
  schema_version: '1.0.0',
  version: '01',
  generated_at: AT,
  as_of: AT,
  previous: null,
  engine_version: '',
  methodology_version: '',
  policy_version: '',
  inputs: inputsOf(WHOLE),
  datasets: DATASETS,
  events: { last_event_id: null, count: 0, segments: [] },
  ...more,
});

const verdictAt = (one: Manifest | null, afterSeconds = 0) =>
  serviceVerdict({ manifest: one, nowMs: AT_MS + afterSeconds * 1000 });
const withState = (id: string, state: SourceState) =>
  verdictAt(
    manifest({ inputs: inputsOf(WHOLE.map((one) => (one.id === id ? source(id, one.table, state) : one))) }),
  );
const stateOf = (verdict: ReturnType<typeof verdictAt>, id: string) =>
  verdict.families.find((family) => family.id === id)?.state;

test.each([
  [['Feeds and pegs', 'Lending'], 'Feeds and pegs, and lending can be judged.'],
  [['Feeds and pegs', 'Lending', 'Yields'], 'Feeds and pegs, lending and yields can be judged.'],
  [['Lending', 'Feeds and pegs', 'MEV'], 'Lending, feeds and pegs, and MEV can be judged.'],
  [['Layer 2', 'Network A'], 'Layer 2 and network A can be judged.'],
])('the families %j are one sentence', (titles, summary) => {
  const families = titles.map((title, index) => ({ ...LENDING, id: `${index}`, title }));
  expect(verdictAt(manifest({ inputs: inputsOf(WHOLE, families) })).summary).toBe(summary);
});

test('with everything read, accepted and published, it is ok and says what can be judged', () => {
  expect(verdictAt(manifest())).toMatchObject({
    status: 'ok',
    summary: 'Pegs and lending can be judged.',
    reasons: [],
    families: [{ state: 'complete' }, { state: 'complete', message: 'Lending can be judged.' }],
  });
});

describe('a source', () => {
  test.each([
    ['never_read', 'has never been read'],
    ['empty', 'has delivered nothing'],
    ['overdue', 'is overdue'],
    ['refused', 'was refused'],
    ['failing', 'fails'],
    ['suspect', 'is not confirmed'],
  ] as const)('that is %s makes the service degraded and is named with its reason', (state, words) => {
    const verdict = withState('logs', state);
    expect(verdict.status).toBe('degraded');
    expect(verdict.reasons).toEqual([
      {
        code: state,
        message: `logs (vault_log) ${words}: why logs`,
        source: 'logs',
        table_name: 'vault_log',
        dataset: null,
        subject: null,
      },
    ]);
    expect(stateOf(verdict, 'lending')).toBe('partial');
    expect(stateOf(verdict, 'oracles')).toBe('complete');
    expect(verdict.summary).toBe(`Pegs can be judged; Lending can be judged in part; 1 source ${words}.`);
  });

  test.each(['off', 'needs_key'] as const)('that is %s is not an input', (state) => {
    const inputs = inputsOf([...WHOLE, source('extra', 'market_state', state)]);
    expect(verdictAt(manifest({ inputs }))).toMatchObject({ status: 'ok', reasons: [] });
  });

  test('of an essential table that is lost makes its family unknown, and families that read the table partial', () => {
    const lost = WHOLE.map((one) =>
      one.table === 'feed_round' ? source(one.id, one.table, 'never_read') : one,
    );
    const verdict = verdictAt(manifest({ inputs: inputsOf(lost) }));
    expect([stateOf(verdict, 'oracles'), stateOf(verdict, 'lending')]).toEqual(['unknown', 'partial']);
    expect(verdict.summary).toBe(
      'Lending can be judged in part; Pegs cannot be judged; 2 of 5 sources have never been read.',
    );
  });

  test('one of two that is overdue leaves its family judged in part', () => {
    expect(stateOf(withState('rounds', 'overdue'), 'oracles')).toBe('partial');
  });

  test('none of which has been read leaves nothing to judge', () => {
    const never = WHOLE.map(({ id, table }) => source(id, table, 'never_read'));
    expect(verdictAt(manifest({ inputs: inputsOf(never) }))).toMatchObject({
      status: 'degraded',
      summary: 'Nothing can be judged: 5 of 5 sources have never been read.',
    });
  });
});

describe('a family', () => {
  test('without a source is no fault, and cannot be judged', () => {
    const sources = WHOLE.filter(({ table }) => table.startsWith('feed_'));
    const verdict = verdictAt(manifest({ inputs: inputsOf(sources) }));
    expect(verdict).toMatchObject({
      status: 'ok',
      summary: 'Pegs can be judged. 1 family without a source cannot be judged.',
    });
    expect(verdict.families[1]).toMatchObject({
      state: 'no_source',
      message: `Lending cannot be judged: ${NO_SOURCE}.`,
    });
  });

  test('without any other one is a fault: then nothing is configured', () => {
    expect(verdictAt(manifest({ inputs: inputsOf([]) }))).toMatchObject({
      status: 'degraded',
      summary: `Nothing can be judged: ${NO_SOURCE}.`,
      reasons: [{ code: 'no_source' }],
    });
  });

  test('whose essential table has no source cannot be judged', () => {
    const sources = WHOLE.filter(({ table }) => table !== 'feed_round');
    const verdict = verdictAt(manifest({ inputs: inputsOf(sources) }));
    expect(verdict.families[0]).toMatchObject({
      state: 'unknown',
      message: `Pegs cannot be judged: ${NO_SOURCE} for feed_round.`,
    });
  });

  test('that is not computed yet is pending', () => {
    const { pegs, feeds } = DATASETS;
    const verdict = verdictAt(manifest({ datasets: { pegs, feeds } }));
    expect(verdict).toMatchObject({
      status: 'degraded',
      summary: 'Pegs can be judged; Lending cannot be judged yet.',
      reasons: [{ code: 'not_yet_published', dataset: 'lending-markets' }],
    });
    expect(stateOf(verdict, 'lending')).toBe('pending');
  });
});

describe('what is held back', () => {
  test('as a dataset, with the failed check', () => {
    const verdict = verdictAt(manifest({ datasets: { ...DATASETS, pegs: failed } }));
    expect(verdict).toMatchObject({
      status: 'degraded',
      summary: 'Lending can be judged; Pegs can be judged in part; 1 dataset held back.',
      reasons: [
        {
          code: 'held_back',
          dataset: 'pegs',
          subject: null,
          message: 'pegs is held back: rows fit their schema: USDC: price must be number',
        },
      ],
    });
  });

  const held = (subject: string) => ({
    total: 1,
    list: [
      { dataset: 'pegs', subject, since: AT, checks: ['decimals'], reason: 'USDC is held back until …' },
    ],
  });

  test('as a subject, with what releases it', () => {
    const verdict = verdictAt(manifest({ held_subjects: held('USDC') }));
    expect(verdict.status).toBe('degraded');
    expect(verdict.reasons).toMatchObject([{ code: 'held_back', dataset: 'pegs', subject: 'USDC' }]);
    expect(stateOf(verdict, 'oracles')).toBe('partial');
  });

  test('as a dataset that was never published: it is held back and not merely late', () => {
    const { pegs: _, ...datasets } = DATASETS;
    const verdict = verdictAt(manifest({ datasets, held_subjects: held('*') }));
    expect(verdict.reasons).toMatchObject([{ code: 'held_back', dataset: 'pegs', subject: null }]);
    expect(stateOf(verdict, 'oracles')).toBe('partial');
  });

  test('subjects beyond the list are counted', () => {
    const verdict = verdictAt(manifest({ held_subjects: { ...held('USDC'), total: 7 } }));
    expect(verdict.reasons.map(({ message }) => message)).toContain('6 further subjects held back.');
  });

  test('events', () => {
    const list = [
      { type: 'peg.depeg.start', subject_id: 'x', count: 2, since: AT, reason: 'USDC is held back' },
    ];
    const verdict = verdictAt(manifest({ withheld_events: { total: 2, since: AT, list } }));
    expect(verdict).toMatchObject({
      status: 'degraded',
      reasons: [{ code: 'events_withheld', message: '2 events withheld: USDC is held back' }],
    });
  });
});

describe('the publisher', () => {
  test.each([
    [0, 'ok'],
    [2 * CADENCE_S, 'ok'],
    [2 * CADENCE_S + 1, 'degraded'],
  ])('%i s after the data was computed: %s', (seconds, status) => {
    expect(verdictAt(manifest(), seconds).status).toBe(status);
  });

  test('that is gone is named first, and what can be judged is as of then', () => {
    const { summary, reasons } = verdictAt(manifest(), 3 * 3_600);
    expect(reasons).toMatchObject([{ code: 'data_overdue' }]);
    expect(summary).toBe(
      'The data is 3 h old, but a new version is due every 5 min: no publisher is at work. What happened since is not known. As of then: Pegs and lending can be judged.',
    );
  });

  test('events that are published before the datasets of their time do not make the datasets younger', () => {
    const early = manifest({ as_of: '2026-03-10T10:30:00Z', datasets_as_of: AT });
    expect(verdictAt(early, 3_600).reasons).toMatchObject([{ code: 'data_overdue' }]);
  });
});

describe('without a version', () => {
  test('nothing has been published', () => {
    expect(verdictAt(null)).toMatchObject({ status: 'empty', reasons: [{ code: 'not_yet_published' }] });
  });

  test('that can be read, nothing can be served', () => {
    const faults = [{ code: 'published_files', message: 'current.json is damaged.' }] as const;
    expect(serviceVerdict({ manifest: null, nowMs: AT_MS, faults })).toMatchObject({
      status: 'unavailable',
      summary: 'Nothing can be judged: no published version can be read. current.json is damaged.',
      reasons: [{ code: 'published_files' }],
    });
  });

  test('of these jobs, the inputs are not known, so it is not ok', () => {
    const { inputs: _, ...old } = manifest();
    expect(verdictAt(old)).toMatchObject({ status: 'degraded', reasons: [{ code: 'inputs_not_recorded' }] });
  });
});

test('problems of files and of the store degrade the service, and a server that stops says so first', () => {
  const faults = [{ code: 'ops_store', message: 'The store cannot be written' }] as const;
  const input = { manifest: manifest(), nowMs: AT_MS, faults };
  expect(serviceVerdict(input)).toMatchObject({
    status: 'degraded',
    summary: 'Pegs and lending can be judged. The store cannot be written.',
  });
  expect(serviceVerdict({ ...input, isStopping: true }).status).toBe('stopping');
});

const STATES = [
  'read',
  'never_read',
  'empty',
  'overdue',
  'failing',
  'suspect',
  'refused',
  'off',
  'needs_key',
] as const;

const anyInstallation = fc.record({
  states: fc.array(fc.constantFrom(...STATES), { minLength: WHOLE.length, maxLength: WHOLE.length }),
  held: fc.subarray(Object.keys(DATASETS)),
  missing: fc.subarray(Object.keys(DATASETS)),
  age: fc.constantFrom(0, 2 * CADENCE_S, 2 * CADENCE_S + 1),
});

test('ok exactly if every source that is on is read, and all is published, accepted and recent', () => {
  fc.assert(
    fc.property(anyInstallation, ({ states, held, missing, age }) => {
      const sources = WHOLE.map(({ id, table }, index) => source(id, table, states[index] ?? 'read'));
      const all = Object.entries(DATASETS).filter(([id]) => !missing.includes(id));
      const datasets = Object.fromEntries(all.map(([id, one]) => [id, held.includes(id) ? failed : one]));
      const verdict = verdictAt(manifest({ datasets, inputs: inputsOf(sources) }), age);
      const on = states.filter((state) => state !== 'off' && state !== 'needs_key');
      const isWhole = on.every((state) => state === 'read') && on.length > 0 && missing.length === 0;
      const isOk = isWhole && held.length === 0 && age <= 2 * CADENCE_S;
      expect(verdict.status === 'ok').toBe(isOk);
      expect(verdict.reasons.length === 0).toBe(isOk);
      for (const { state, message } of verdict.families)
        expect(message.includes('can be judged.')).toBe(state === 'complete');
    }),
  );
});

test('a family is complete only if no source that it reads is in trouble and all its datasets are there', () => {
  fc.assert(
    fc.property(anyInstallation, ({ states, held, missing }) => {
      const sources = WHOLE.map(({ id, table }, index) => source(id, table, states[index] ?? 'read'));
      const all = Object.entries(DATASETS).filter(([id]) => !missing.includes(id));
      const datasets = Object.fromEntries(all.map(([id, one]) => [id, held.includes(id) ? failed : one]));
      const { families } = verdictAt(manifest({ datasets, inputs: inputsOf(sources) }));
      for (const family of [PEGS, LENDING]) {
        const read = [...family.tables, ...family.other_tables];
        const own = sources.filter(({ table }) => read.includes(table));
        const isTroubled = own.some(({ state }) => !['read', 'off', 'needs_key'].includes(state));
        const isHeld = family.datasets.some((id) => held.includes(id) || missing.includes(id));
        const complete = families.find(({ id }) => id === family.id)?.state === 'complete';
        if (isTroubled || isHeld) expect(complete).toBe(false);
      }
    }),
  );
});

test('while nothing is fetched, it is degraded and says since when', () => {
  const inputs = { ...inputsOf(WHOLE), silent_since: AT_MS / 1000 - 7_200 };
  const { status, summary, reasons } = verdictAt(manifest({ inputs }));
  expect(status).toBe('degraded');
  expect(reasons.map(({ code }) => code)).toEqual(['fetching_stopped']);
  expect(summary).toContain('Nothing has been fetched since 2026-03-10T07:30:00Z');
  const known = serviceVerdict({ manifest: manifest(), nowMs: AT_MS, silentSince: AT_MS / 1000 - 1 });
  expect(known.reasons.map(({ code }) => code)).toEqual(['fetching_stopped']);
});
