import { expect, test } from 'vitest';
import { describeChanges } from '../../snapshots/diff.ts';
import { openEventLog } from '../../snapshots/events.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { candidate, dataset, iso, publication, T0, withFolder } from './support/world.ts';

test('a diff names datasets, a limited number of keys, verdicts, versions and appended events', () =>
  withFolder(async (dir) => {
    const log = await openEventLog(inFolder(dir), []);
    const before = [
      dataset('feeds', { a: 1, b: 1, c: 1, x: 1 }),
      dataset('gone', { a: 1 }),
      dataset('same', { a: 1 }),
    ];
    const from = await publishVersion(inFolder(dir), publication(0, { datasets: before }));
    const [event] = await log.append([candidate('e')], T0);
    const quality_gate = {
      verdict: 'warn' as const,
      checks: [],
      evaluated_at: null,
      policy_version: '1.0.0',
    };
    const after = [
      dataset('feeds', { a: 2, b: 2, c: 2, d: 1, x: 1 }, { quality_gate }),
      dataset('come', { a: 1, b: 2 }),
      dataset('same', { a: 1 }),
    ];
    const input = { datasets: after, segments: log.segments(), engine_version: '1.1.0' };
    const to = await publishVersion(inFolder(dir), publication(1, input));
    const versions = { from: from.version, to: to.version };
    expect(await describeChanges(inFolder(dir), versions, { maxKeys: 2 })).toEqual([
      `as_of ${iso(T0)} -> ${iso(T0 + 300_000)}`,
      'engine_version 1.0.0 -> 1.1.0',
      'dataset come added: 2 documents',
      'dataset feeds: 1 document added (d); 3 documents changed (a, b, and 1 more)',
      'dataset feeds: quality gate pass -> warn',
      'dataset gone removed: it had 1 document',
      `1 event appended, up to ${event?.id}`,
    ]);
  }));

test('two versions with the same contents differ only in their time', () =>
  withFolder(async (dir) => {
    const from = await publishVersion(inFolder(dir), publication(0));
    const to = await publishVersion(inFolder(dir), publication(1));
    const sentences = await describeChanges(inFolder(dir), { from: from.version, to: to.version });
    expect(sentences).toEqual([`as_of ${iso(T0)} -> ${iso(T0 + 300_000)}`, 'no other change']);
  }));

test('a missing version is named', () =>
  withFolder(async (dir) => {
    const { version } = await publishVersion(inFolder(dir), publication(0));
    const other = `${version.slice(0, -1)}${version.endsWith('0') ? '1' : '0'}`;
    await expect(describeChanges(inFolder(dir), { from: other, to: version })).rejects.toThrow(
      `${other}/manifest.json is damaged`,
    );
  }));
