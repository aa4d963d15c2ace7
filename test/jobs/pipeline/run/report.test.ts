import { describe, expect, it } from 'vitest';
import { jsonReporter, terminalReporter, messageOf } from '../../../../jobs/pipeline/run/report.ts';

const nowMs = () => Date.UTC(2026, 0, 31, 9, 5, 7);

function written(make: typeof jsonReporter, level: 'silent' | 'warn' | 'info') {
  const lines: string[] = [];
  return { lines, reporter: make({ write: (text) => void lines.push(text), nowMs, level }) };
}

describe('reporting', () => {
  it('writes one JSON line per step, with its time from the given clock', () => {
    const { lines, reporter } = written(jsonReporter, 'info');
    reporter.step('landed', { rows: 3 });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'info',
      time: '2026-01-31T09:05:07.000Z',
      rows: 3,
      msg: 'landed',
    });
  });

  it('writes words for a person at a terminal', () => {
    const { lines, reporter } = written(terminalReporter, 'info');
    reporter.step('landed', { rows: 3, source: 'usdt' });
    reporter.warn('late');
    expect(lines).toEqual(['09:05:07 landed rows=3 source=usdt\n', '09:05:07 ! late\n']);
  });

  it.each([jsonReporter, terminalReporter])('keeps quiet below its level', (make) => {
    const warn = written(make, 'warn');
    warn.reporter.step('a');
    warn.reporter.warn('b');
    expect(warn.lines).toHaveLength(1);
    const silent = written(make, 'silent');
    silent.reporter.error('c');
    expect(silent.lines).toEqual([]);
  });

  it('includes the causes of an error, each once', () => {
    const disk = new Error('disk full');
    expect(messageOf(new Error('cannot land', { cause: new Error('cannot write', { cause: disk }) }))).toBe(
      'cannot land (cannot write (disk full))',
    );
    expect(messageOf(new Error('cannot write: disk full', { cause: disk }))).toBe('cannot write: disk full');
    expect(messageOf('text')).toBe('text');
  });
});
