import { expect, test } from 'vitest';
import {
  completeConditions,
  type ConditionFacts,
  type PublishedDocuments,
} from '../../../../jobs/pipeline/publish/conditions.ts';
import type { Condition } from '../../../../schemas/conditions.ts';
import type { QualityGate } from '../../../../schemas/provenance.ts';
import { openEventLog } from '../../../../snapshots/events.ts';
import type { Json } from '../../../../platform/base/json.ts';
import type { Document } from '../../../../snapshots/layout.ts';
import type { VersionReader } from '../../../../snapshots/read.ts';
import { inFolder } from '../../../support/in-folder.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const NOW = 1_800_000_000;
const SINCE = NOW - 100;
const at = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
const found = (id: string, event_key: string | null, since = at(SINCE)): Document => ({
  key: id,
  value: {
    id,
    event_key,
    since,
    event_id: null,
    evidence_url: null,
    subject_id: 'peg:ethereum:AAA',
    chain: 'ethereum',
    symbols: ['AAA'],
  },
});
const gate = (verdict: QualityGate['verdict'], warned = 0): QualityGate => ({
  verdict,
  checks: Array.from({ length: warned }, (_, n) => ({ name: `c${n}`, verdict: verdict, detail: null })),
  evaluated_at: null,
  policy_version: '7',
});
const versionWith = (...conditions: object[]) =>
  ({
    manifest: { datasets: { conditions: {} } },
    documents: async () =>
      conditions.map((value) => ({ key: (value as Condition).id, value: value as Json })),
  }) as unknown as VersionReader;

async function completed(documents: readonly Document[], more: Partial<ConditionFacts> = {}) {
  const dir = temporaryFolder('conditions');
  const log = await openEventLog(inFolder(dir), []);
  const key = `peg.depeg.start|ethereum|AAA|USD|${SINCE}|7`;
  const [event] = await log.append(
    [{ key, envelope: { type: 'peg.depeg.start', ts: at(SINCE), data: {} } }],
    NOW * 1000,
  );
  const context = {
    snapshots: inFolder(dir),
    policy: { policy_version: '7' },
  } as unknown as Parameters<typeof completeConditions>[0];
  const publication = { now: NOW, segments: log.segments() } as ConditionFacts['publication'];
  const facts = { publication, before: null, gates: [], published: new Map(), ...more };
  const result = await completeConditions(context, documents, facts);
  return { id: event?.id ?? '', key, rows: result.map(({ value }) => value as unknown as Condition) };
}

test('a condition gets the id of its event, or none if the event is not in the log', async () => {
  const key = `peg.depeg.start|ethereum|AAA|USD|${SINCE}|7`;
  const { id, rows } = await completed([
    found('a', key),
    found('b', 'peg.depeg.start|x|1'),
    found('c', null),
  ]);
  expect(rows.map(({ event_id, evidence_url }) => [event_id, evidence_url])).toEqual([
    [id, `/v2/events/${id}/evidence`],
    [null, null],
    [null, null],
  ]);
});

test('an id is taken from the last version while the event is the same', async () => {
  const old = 'peg.depeg.start|ethereum|OLD|USD|1700000000|7';
  const before = versionWith({ id: 'a', event_key: old, event_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' });
  const { rows } = await completed([found('a', old, at(1_700_000_000))], { before });
  expect(rows[0]?.event_id).toBe('01ARZ3NDEKTSV4RRFFQ69G5FAV');
  const {
    id,
    key,
    rows: other,
  } = await completed([found('a', `peg.depeg.start|ethereum|AAA|USD|${SINCE}|7`)], { before });
  expect([key, other[0]?.event_id]).toEqual([key, id]);
});

test('a dataset whose gate warns or fails is a condition, since the version that first said so', async () => {
  const first = '2026-01-01T00:00:00Z';
  const gates = [
    { id: 'fine', title: 'Fine', gate: gate('pass') },
    { id: 'unknown', title: 'Unknown', gate: gate('not_evaluated') },
    { id: 'warned', title: 'Warned', gate: gate('warn', 2) },
    { id: 'held', title: 'Held', gate: gate('fail', 1) },
  ];
  const before = versionWith({ id: 'dataset.gate|held', since: first });
  const { rows } = await completed([], { gates, before });
  expect(rows.map(({ id, severity, title, since }) => [id, severity, title, since])).toEqual([
    ['dataset.gate|warned', 'info', 'Warned: 2 checks warned', at(NOW)],
    ['dataset.gate|held', 'warn', 'Held: held back, 1 check failed', first],
  ]);
});

const marketRow = (market_id: string, supplied_usd: number): Document => ({
  key: `ethereum|${market_id}`,
  value: {
    chain: 'ethereum',
    market_id,
    protocol: 'p',
    loan_symbol: 'AAA',
    collateral_symbol: 'BBB',
    feeds: [],
    supplied_usd,
  },
});

const ofAnother = ({ key, value }: Document): Document => ({
  key,
  value: { ...(value as object), loan_symbol: 'CCC' } as Json,
});

test('the reach of a condition is that of the rows about to be published; what is held back of them is unknown', async () => {
  const documents = [marketRow('m', 40), marketRow('n', 2)];
  const reachWith = async (markets: PublishedDocuments | undefined) => {
    const published = new Map(markets === undefined ? [] : [['lending-markets', markets] as const]);
    return (await completed([found('a', null)], { published })).rows[0]?.reach;
  };
  expect(await reachWith({ documents, held: [] })).toMatchObject({
    ...{ markets: 2, markets_unknown: 0, usd: 42, usd_unknown_share: 0, vaults: null, yields: null },
    gaps: ['vaults_missing', 'yields_missing'],
  });
  expect(await reachWith({ documents: documents.slice(1), held: ['ethereum m'] })).toMatchObject({
    ...{ markets: 1, markets_unknown: 1, usd: 2, usd_unknown_share: 0.5 },
    gaps: expect.arrayContaining(['held_back']),
  });
  const other = await reachWith({ documents: [marketRow('m', 40)].map(ofAnother), held: [] });
  expect(other).toMatchObject({ markets: 0, vaults: null, usd: null, usd_unknown_share: null });
  // Held back as a whole: its rows are those of an earlier version.
  expect(await reachWith(undefined)).toMatchObject({ markets: null, usd: null, usd_unknown_share: null });
});

test('the condition of a dataset has no reach', async () => {
  const { rows } = await completed([], { gates: [{ id: 'held', title: 'Held', gate: gate('fail', 1) }] });
  expect(rows.map(({ reach, band_multiple }) => [reach, band_multiple])).toEqual([[null, null]]);
});
