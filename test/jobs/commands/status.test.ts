import { expect, test } from 'vitest';
import { statusLines, statusOf } from '../../../jobs/commands/status.ts';
import { confidenceOf, gateOf } from '../../../jobs/pipeline/gate/quality.ts';
import type { DatasetEntry, Manifest } from '../../../snapshots/layout.ts';
import { serviceVerdict } from '../../../snapshots/verdict.ts';

const AT = '2026-03-10T09:30:00Z';
const inputs = { expected: 1, used: 1, rows_in: 10, rows_quarantined: 0, failures: [] };
const entry = (facts: Partial<DatasetEntry>): DatasetEntry => ({
  sha256: '',
  bytes: 0,
  documents: 2,
  computed_at: AT,
  update_cadence_seconds: 300,
  sources: [],
  confidence: confidenceOf(inputs),
  quality_gate: gateOf([], AT, '1.0.0'),
  ...facts,
});
const manifest = (datasets: Manifest['datasets']): Manifest => ({
  schema_version: '1.0.0',
  version: '01',
  generated_at: AT,
  as_of: AT,
  previous: null,
  engine_version: '',
  methodology_version: '',
  policy_version: '',
  datasets,
  events: { last_event_id: null, count: 0, segments: [] },
});
const commandFor = (operands: string) => `npm run jobs -- ${operands} --config my.json --data-dir var/mine`;
const linesOf = (datasets: Manifest['datasets']) =>
  statusLines(
    statusOf({ entries: [], faults: [], manifest: manifest(datasets), nowMs: Date.parse(AT) }),
    commandFor,
  ).filter((line) => line.startsWith('  ') && !line.startsWith('  - '));

test('every warning is printed with its reason, and passed checks are not printed', () => {
  const quality_gate = gateOf(
    [
      { name: 'rows fit their schema', verdict: 'pass', detail: null },
      { name: 'no input is stale', verdict: 'warn', detail: 'votes are old' },
    ],
    AT,
    '1.0.0',
  );
  expect(linesOf({ governance: entry({ quality_gate }) })).toEqual([
    '  governance: 2 documents, gate warn, confidence high',
    '      warn: no input is stale: votes are old',
  ]);
});

test('datasets without a source are named in one line, after the others, whose order is kept', () => {
  const none = { confidence: confidenceOf({ ...inputs, is_unsourced: true }) };
  const lines = linesOf({
    'a-none': entry(none),
    'b-some': entry({}),
    'c-none': entry(none),
    'd-some': entry({}),
  });
  expect(lines.map((line) => line.trim().split(':')[0])).toEqual(['b-some', 'd-some', 'no source']);
  expect(lines.at(-1)).toBe('  no source: 2 datasets: a-none, c-none');
});

test('the engines and the families that are computed elsewhere are named', () => {
  const of = (homes?: Record<string, string>) => {
    const published = { ...manifest({}), engine_version: 'duckdb 1.5.5, trino 476' };
    const input = { entries: [], faults: ['lost'], manifest: published, nowMs: Date.parse(AT) };
    return statusLines(statusOf(homes === undefined ? input : { ...input, homes }), commandFor);
  };
  expect(of()[0]).toMatch(/computed on duckdb 1\.5\.5, trino 476$/);
  expect(
    of()
      .filter((line) => !/^(Service| {2}-) /.test(line))
      .slice(1),
  ).toEqual(['! lost', 'No run yet.']);
  expect(of({ oracles: 'trino', mev: 'trino' })).toContain(
    'Computed elsewhere: oracles on trino, mev on trino',
  );
});

test('the verdict comes second, with a line for each of its reasons, and is the one of the status endpoint', () => {
  const at = Date.parse(AT) + 3_600_000;
  const input = {
    entries: [],
    faults: ['current.json is lost'],
    manifest: manifest({ pegs: entry({}) }),
    nowMs: at,
  };
  const { service } = statusOf(input);
  expect(service).toEqual(
    serviceVerdict({
      manifest: input.manifest,
      nowMs: at,
      faults: [{ code: 'published_files', message: 'current.json is lost' }],
    }),
  );
  const [, verdict, first] = statusLines(statusOf(input), commandFor);
  expect(verdict).toBe(`Service degraded: ${service.headline}`);
  expect(service.headline).toContain('How many conditions are open is not known');
  expect(first).toMatch(/^ {2}- The data is 1 h old/);
});

test('one event is counted in the singular, in the log and of a run', () => {
  const textOf = (count: number) => {
    const events = { last_event_id: null, count, segments: [] };
    const run = {
      run: 'a',
      job: 'tick',
      interval: { from: 0, to: 1 },
      attempt: 1,
      state: 'succeeded',
      at: AT,
    } as const;
    const input = { entries: [{ ...run, events_appended: count }], faults: [], nowMs: Date.parse(AT) };
    return statusLines(statusOf({ ...input, manifest: { ...manifest({}), events } }), commandFor).join('\n');
  };
  expect(textOf(1)).toMatch(/ 1 event in the log,.*, 1 event$/s);
  expect(textOf(2)).toMatch(/ 2 events in the log,.*, 2 events$/s);
});

test('the command that publishes first has the flags of this one', () => {
  const empty = statusOf({ entries: [], faults: [], manifest: null, nowMs: Date.parse(AT) });
  expect(statusLines(empty, commandFor)[0]).toBe(`Nothing is published yet: ${commandFor('run')}`);
});
