import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lastTick, openLedger, readLedger } from '../../../../jobs/pipeline/run/ledger.ts';
import { type LedgerEntry, parseLedger, writeLine } from '../../../../jobs/pipeline/run/ledger-line.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder('ledger');
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
  it('reads back reasons with any character', () => {
    const reasons = ['\u2028 \u2029', 'a\rb\nc', '\u0085', '"},"sum":"0000000000000000"}'];
    const { entries, faults } = parseLedger(Buffer.from(writeLine(entry({ reasons }))), 'ledger.ndjson');
    expect([entries, faults]).toEqual([[entry({ reasons })], []]);
  });

  it('is not begun again, and its folder is not made, when it is gone, and goes on when it is back', async () => {
    const file = join(folder, 'data', 'ledger.ndjson');
    const ledger = openLedger(file);
    await ledger.append(entry());
    renameSync(join(folder, 'data'), join(folder, 'away'));
    await expect(ledger.append(entry())).rejects.toThrow(
      `the folder ${join(folder, 'data')} is gone, or another one is in its place.`,
    );
    expect(existsSync(join(folder, 'data'))).toBe(false);
    mkdirSync(join(folder, 'data'));
    writeFileSync(file, writeLine(entry()).slice(0, -2));
    await expect(ledger.append(entry())).rejects.toThrow('another one is in its place');
    rmSync(join(folder, 'data'), { recursive: true });
    renameSync(join(folder, 'away'), join(folder, 'data'));
    await ledger.append(entry({ state: 'succeeded' }));
    expect(readLedger(file).entries.map(({ state }) => state)).toEqual(['started', 'succeeded']);
  });

  it('returns what was written, in order, after it is reopened', async () => {
    const file = join(folder, 'new', 'ledger.ndjson');
    const ledger = openLedger(file);
    await ledger.append(entry());
    await ledger.append(entry({ state: 'succeeded', output_version: 'v1' }));
    expect(openLedger(file).entries).toEqual(ledger.entries);
    expect(readLedger(file).entries.map(({ state }) => state)).toEqual(['started', 'succeeded']);
  });

  it('is empty before anything ran', () => {
    expect(readLedger(join(folder, 'none.ndjson')).entries).toEqual([]);
  });

  it('moves a last line that a crash cut short out of the way, says so, and keeps the entry written after it', async () => {
    const file = join(folder, 'ledger.ndjson');
    await openLedger(file).append(entry());
    appendFileSync(file, '{"run":"r2","job":"ti');
    expect(readLedger(file)).toMatchObject({ entries: [entry()], faults: [], torn: { line: 2 } });
    const reopened = openLedger(file);
    expect(reopened.entries).toHaveLength(1);
    expect(reopened.repaired).toBe(
      `${file} line 2 was cut short by a crash: its 21 bytes were moved to ${file}.torn`,
    );
    expect(readFileSync(`${file}.torn`, 'utf8')).toBe('{"run":"r2","job":"ti\n');
    await reopened.append(entry({ run: 'r3' }));
    expect(readLedger(file).entries.map(({ run }) => run)).toEqual(['r1', 'r3']);
    expect(openLedger(file)).toMatchObject({ repaired: null, faults: [] });
  });

  it('names file and line of every line that is changed by one bit, and keeps the others', async () => {
    const file = join(folder, 'ledger.ndjson');
    const ledger = openLedger(file);
    for (const run of ['r1', 'r2', 'r3']) await ledger.append(entry({ run, state: 'succeeded' }));
    const whole = readFileSync(file);
    const start = whole.indexOf('\n') + 1;
    const end = whole.indexOf('\n', start);
    for (let index = start; index < end; index++)
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Buffer.from(whole);
        flipped.writeUInt8(flipped.readUInt8(index) ^ (1 << bit), index);
        const { entries, faults } = parseLedger(flipped, 'ledger.ndjson');
        expect(faults[0], `byte ${index} bit ${bit}`).toMatch(/^ledger\.ndjson line 2 is not an entry/);
        expect(entries.map(({ run }) => run)).toEqual(['r1', 'r3']);
      }
  });

  it('accepts older lines without a checksum, but none after a line that has one', () => {
    const old = `${JSON.stringify(entry({ run: 'old' }))}\n`;
    const text = `${old}${writeLine(entry({ run: 'new' }))}${old}`;
    const { entries, faults } = parseLedger(Buffer.from(text), 'l');
    expect(entries.map(({ run }) => run)).toEqual(['old', 'new']);
    expect(faults).toEqual([expect.stringContaining('l line 3 is not an entry (no checksum)')]);
    expect(parseLedger(Buffer.from('{"run":"x"}\n'), 'l').faults).toHaveLength(1);
  });

  it('forgets ticks that were retracted', () => {
    const tick = (to: number) => entry({ state: 'succeeded', interval: { from: 0, to } });
    const retracted = entry({ job: 'retract', state: 'succeeded', interval: { from: 300, to: 300 } });
    expect(lastTick([tick(300), tick(900), retracted])).toBe(300);
    expect(lastTick([tick(300), tick(900), retracted, tick(600)])).toBe(600);
    expect(lastTick([retracted])).toBeNull();
  });

  it('counts how often an interval was started', async () => {
    const ledger = openLedger(join(folder, 'ledger.ndjson'));
    await ledger.append(entry());
    await ledger.append(entry({ state: 'failed' }));
    await ledger.append(entry({ attempt: 2 }));
    expect(ledger.attempts('tick', { from: 0, to: 300 })).toBe(2);
    expect(ledger.attempts('backfill', { from: 0, to: 300 })).toBe(0);
    expect(ledger.attempts('tick', { from: 300, to: 600 })).toBe(0);
  });
});
