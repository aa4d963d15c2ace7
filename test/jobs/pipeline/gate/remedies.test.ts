import { expect, test } from 'vitest';
import type { Receipt } from '../../../../jobs/ingest/receipts/receipt.ts';
import type { Finding } from '../../../../jobs/pipeline/gate/audit.ts';
import { remediesOf } from '../../../../jobs/pipeline/gate/remedies.ts';
import type { ModelSet } from '../../../../jobs/pipeline/models/model.ts';

const models = {
  models: [
    { name: 'obs.height', reads: ['landing.height'] },
    { name: 'obs.tide', reads: ['landing.tide'] },
    { name: 'derived.sea', reads: ['obs.height', 'obs.tide'] },
    { name: 'derived.land', reads: ['landing.land'] },
  ],
  audits: [{ name: 'obs.tide.audit', reads: ['obs.tide', 'derived.land'] }],
} as unknown as ModelSet;
const receipt = (table: string, id: string, mappings?: readonly string[]) =>
  ({ table, source: { id }, ...(mappings && { mappings }) }) as unknown as Receipt;
const RECEIPTS = [
  receipt('height', 'buoys', ['a']),
  receipt('height', 'buoys', ['b']),
  receipt('height', 'generated'),
  receipt('tide', 'gauges', ['a']),
  receipt('land', 'stones', ['a']),
];
const finding = (table: string, { verdict = 'fail', rows = [{ buoy: 'x' }] } = {}) =>
  ({ audit: `${table}.audit`, table, verdict, rows }) as unknown as Finding;

const remedies = (...findings: readonly Finding[]) =>
  remediesOf(
    {
      models,
      ingest: { receipts: () => RECEIPTS },
      commandFor: (words) => `npm run jobs -- ${words} --config my.json`,
    },
    findings,
  );

test('a failing audit names the source whose mapping may be wrong, and the command', () => {
  expect(remedies(finding('obs.height'))).toEqual([
    'if a wrong mapping of buoys is the cause, correct it and see which rows would change: npm run jobs -- reland --source buoys --dry-run --config my.json',
  ]);
});

test('an audit that compares tables names the sources of all of them', () => {
  expect(remedies(finding('obs.tide'))).toEqual([
    expect.stringContaining('mapping of gauges, stones is the cause'),
  ]);
});

test('several sources are named in one line', () => {
  expect(remedies(finding('derived.sea'), finding('obs.height'))).toEqual([
    'if a wrong mapping of buoys, gauges is the cause, correct it and see which rows would change: npm run jobs -- reland --source NAME --dry-run --config my.json',
  ]);
});

test('without a failing audit, and without a mapping, there is nothing to say', () => {
  expect(remedies()).toEqual([]);
  expect(remedies(finding('obs.height', { verdict: 'warn' }), finding('obs.tide', { rows: [] }))).toEqual([]);
  expect(
    remediesOf({ models, ingest: { receipts: () => [] }, commandFor: String }, [finding('obs.height')]),
  ).toEqual([]);
});
