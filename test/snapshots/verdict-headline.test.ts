// The headline of the verdict: open conditions by severity before what can be judged, and never a count that is unknown.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SEVERITIES } from '../../schemas/event.ts';
import type { DatasetEntry, Manifest, SourceState } from '../../snapshots/layout.ts';
import { serviceVerdict } from '../../snapshots/verdict.ts';

const AT = '2026-03-10T09:30:00Z';
const AT_MS = Date.parse(AT);

const entry = (verdict: 'pass' | 'fail' = 'pass'): DatasetEntry => ({
  sha256: '',
  bytes: 0,
  documents: 2,
  computed_at: AT,
  update_cadence_seconds: 300,
  sources: [],
  confidence: { score: 1, level: 'high', inputs_used: 1, inputs_expected: 1, reasons: [] },
  quality_gate: {
    verdict,
    checks: verdict === 'fail' ? [{ name: 'every input is read', verdict, detail: null }] : [],
    evaluated_at: AT,
    policy_version: '1.0.0',
  },
});

const family = (id: string, title: string, dataset: string) => ({
  ...{ id, title, is_derived: false, datasets: [dataset], tables: [`${id}_row`], essential: [] },
  other_tables: [],
});
const PEGS = family('pegs', 'Pegs', 'pegs');
const LENDING = family('lending', 'Lending', 'lending-markets');

interface Installation {
  readonly states?: readonly SourceState[];
  readonly isLendingSourced?: boolean;
  readonly conditions?: DatasetEntry | undefined;
}

/** Three sources of pegs, and one of lending. */
function manifest(installation: Installation = {}): Manifest {
  const { states = [], isLendingSourced = true } = installation;
  const conditions = 'conditions' in installation ? installation.conditions : entry();
  const source = (id: string, table: string, state: SourceState = 'read') => ({
    ...{ id, table, state },
    reason: state === 'read' ? null : `why ${id}`,
  });
  return {
    schema_version: '1.0.0',
    version: '01',
    generated_at: AT,
    as_of: AT,
    previous: null,
    engine_version: '',
    methodology_version: '',
    policy_version: '',
    inputs: {
      families: [PEGS, LENDING],
      tables: [
        { name: 'pegs_row', is_sourced: true, has_rows: true },
        { name: 'lending_row', is_sourced: isLendingSourced, has_rows: isLendingSourced },
      ],
      sources: [
        ...['a', 'b', 'c'].map((id, index) => source(id, 'pegs_row', states[index])),
        ...(isLendingSourced ? [source('d', 'lending_row')] : []),
      ],
    },
    datasets: {
      pegs: entry(),
      'lending-markets': entry(),
      ...(conditions === undefined ? {} : { conditions }),
    },
    events: { last_event_id: null, count: 0, segments: [] },
  };
}

const ask = (installation: Installation, severities: readonly unknown[] | null, afterSeconds = 0) =>
  serviceVerdict({ manifest: manifest(installation), nowMs: AT_MS + afterSeconds * 1000, severities });

const SOUND = 'Pegs and lending can be judged.';

test.each([
  [['critical', 'high', 'high', 'info'], `1 critical, 2 high. ${SOUND}`],
  [['warn'], `1 warn. ${SOUND}`],
  [['info', 'info'], `No condition above info is open (2 informational). ${SOUND}`],
  [[], `No condition is open. ${SOUND}`],
])('%j open is %j', (severities, headline) => {
  expect(ask({}, severities)).toMatchObject({ status: 'ok', headline, summary: SOUND });
});

test('sources that are overdue are counted after the conditions', () => {
  const { headline } = ask({ states: ['overdue', 'overdue', 'overdue'] }, ['critical', 'high', 'high']);
  expect(headline).toMatch(/^1 critical, 2 high\. .*3 of 4 sources are overdue\.$/);
});

test('nothing open is not “nothing is wrong” while a source or a family is missing', () => {
  for (const installation of [{ states: ['overdue' as const] }, { isLendingSourced: false }])
    expect(ask(installation, []).headline).toMatch(/^No condition is open in what can be judged\. /);
});

test.each([
  ['held back', entry('fail'), ['high'], 'their list is held back'],
  ['not published', undefined, null, 'their list is not published'],
  ['not published, with rows of another version', undefined, ['high'], 'their list is not published'],
  ['unreadable', entry(), null, 'their list cannot be read'],
  ['of an unknown severity', entry(), ['high', 'urgent'], 'their list cannot be read'],
])('conditions that are %s are not counted', (_, conditions, severities, why) => {
  const verdict = ask({ conditions }, severities);
  expect(verdict.open_conditions).toBeNull();
  expect(verdict.headline).toContain(`How many conditions are open is not known: ${why}.`);
  expect(verdict.headline).not.toMatch(/\d (?:critical|high)|No condition/);
});

test('of late data, the conditions are those of then', () => {
  expect(ask({}, ['critical'], 3_600).headline).toMatch(
    /^The data is 1 h old, .* As of then: 1 critical\. Pegs and lending can be judged\.$/,
  );
});

test('before the first version nothing is counted', () => {
  const { headline, open_conditions, summary } = serviceVerdict({ manifest: null, nowMs: AT_MS });
  expect({ headline, open_conditions }).toEqual({ headline: summary, open_conditions: null });
});

const anySeverities = fc.array(fc.constantFrom(...SEVERITIES), { maxLength: 12 });
const anyState = fc.constantFrom<SourceState>('read', 'overdue', 'never_read', 'empty', 'refused', 'failing');
const anyInstallation = fc.record({
  states: fc.array(anyState, { minLength: 3, maxLength: 3 }),
  isLendingSourced: fc.boolean(),
});

test('for any inputs and conditions, the counts are right, and calm needs every input', () => {
  fc.assert(
    fc.property(anyInstallation, anySeverities, (installation, severities) => {
      const { headline, open_conditions, status, families, summary } = ask(installation, severities);
      for (const name of SEVERITIES) {
        const count = severities.filter((one) => one === name).length;
        expect(open_conditions?.[name]).toBe(count);
        if (name !== 'info') expect(headline.includes(`${count} ${name}`)).toBe(count > 0);
      }
      expect(headline.endsWith(summary)).toBe(true);
      const isSound = status === 'ok' && families.every(({ state }) => state === 'complete');
      if (!isSound && !severities.some((one) => one !== 'info'))
        expect(headline).not.toMatch(/is open(?! in what can be judged)/);
    }),
  );
});
