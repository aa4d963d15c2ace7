import { describe, expect, it } from 'vitest';
import { openLog } from '../../server/log.ts';

const nowMs = () => Date.UTC(2026, 0, 31, 9, 5, 7);

function written(isTerminal: boolean, level: 'info' | 'silent' = 'info') {
  const lines: string[] = [];
  return { lines, log: openLog({ write: (text) => void lines.push(text), nowMs, level, isTerminal }) };
}

describe('the log of the server', () => {
  it('is one JSON line per entry, in the same form as that of the jobs', () => {
    const { lines, log } = written(false);
    log.info({ port: 8080 }, 'listening');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: 'info', time: '2026-01-31T09:05:07.000Z', port: 8080, msg: 'listening' },
    ]);
  });

  it('is readable text at a terminal, with marks for warnings and the location of an error', () => {
    const { lines, log } = written(true);
    log.info({ port: 8080, host: 'all', plans: ['free'] }, 'listening');
    log.warn('late');
    log.error(
      { err: Object.assign(new Error('disk full'), { stack: 'Error: disk full\n    at write' }) },
      'lost',
    );
    log.info('done');
    expect(lines).toEqual([
      '09:05:07 listening port=8080 host=all plans=["free"]\n',
      '09:05:07 ! late\n',
      '09:05:07 !! lost\nError: disk full\n    at write\n',
      '09:05:07 done\n',
    ]);
  });

  it.each([true, false])('omits entries below its level (at a terminal: %s)', (isTerminal) => {
    const { lines, log } = written(isTerminal, 'silent');
    log.fatal('gone');
    expect(lines).toEqual([]);
  });
});
