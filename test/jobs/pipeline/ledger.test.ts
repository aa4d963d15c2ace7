import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LedgerEntry, openLedger, readLedger } from '../../../jobs/pipeline/ledger.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledger-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const entry = (changes: Partial<LedgerEntry> = {}): LedgerEntry => ({
  run: 'r1',
  job: 'tick',
  interval: { from: 0, to: 300 },
  attempt: 1,
  state: 'started',
  at: '2026-01-01T00:05:00Z',
  ...changes,
});

describe('the ledger', () => {
  it('gives back what was written, in order, after it is opened again', () => {
    const file = join(folder, 'new', 'ledger.ndjson');
    const ledger = openLedger(file);
    ledger.append(entry());
    ledger.append(entry({ state: 'succeeded', output_version: 'v1' }));
    expect(openLedger(file).entries).toEqual(ledger.entries);
    expect(readLedger(file).map(({ state }) => state)).toEqual(['started', 'succeeded']);
  });

  it('is empty before anything ran', () => {
    expect(readLedger(join(folder, 'none.ndjson'))).toEqual([]);
  });

  it('passes over a line that a crash cut short and keeps the entry written after it', () => {
    const file = join(folder, 'ledger.ndjson');
    openLedger(file).append(entry());
    appendFileSync(file, '{"run":"r2","job":"ti');
    const reopened = openLedger(file);
    expect(reopened.entries).toHaveLength(1);
    reopened.append(entry({ run: 'r3' }));
    expect(readLedger(file).map(({ run }) => run)).toEqual(['r1', 'r3']);
    expect(readFileSync(file, 'utf8').endsWith('\n')).toBe(true);
  });

  it('counts how often an interval was started', () => {
    const ledger = openLedger(join(folder, 'ledger.ndjson'));
    ledger.append(entry());
    ledger.append(entry({ state: 'failed' }));
    ledger.append(entry({ attempt: 2 }));
    expect(ledger.attempts('tick', { from: 0, to: 300 })).toBe(2);
    expect(ledger.attempts('backfill', { from: 0, to: 300 })).toBe(0);
    expect(ledger.attempts('tick', { from: 300, to: 600 })).toBe(0);
  });
});
