// Text from outside cannot act on a terminal or forge a line: not on standard output, and not in the log.
import { expect, test } from 'vitest';
import { jsonReporter, terminalReporter } from '../../../jobs/pipeline/run/report.ts';
import { NetFault } from '../../../jobs/sources/live/http/net-fault.ts';
import { printable as printableOfClient } from '../../../packages/client/src/cli/printable.ts';
import { printable, printableLines } from '../../../platform/base/printable.ts';
import { linePrinter } from '../../../platform/command-line/print-lines.ts';
import { openLog } from '../../../server/log.ts';

const EVIL = 'red \u001b[31m\n{"level":"info"}\r\u009b2J\u202e\u2028\u0007end é 中 \t';
const SAFE = 'red \\u001b[31m\\u000a{"level":"info"}\\u000d\\u009b2J\\u202e\\u2028\\u0007end é 中 \\u0009';

test('control characters are printed as escapes, other text as it is', () => {
  expect(printable(EVIL)).toBe(SAFE);
  expect(printableLines('a\n\u001b[1mb')).toBe('a\n\\u001b[1mb');
});

test('a printed line is one line', () => {
  const written: string[] = [];
  linePrinter({ write: (text) => written.push(text), on: () => undefined })(EVIL);
  expect(written).toEqual([`${SAFE}\n`]);
});

test.each([
  ['to a terminal', terminalReporter],
  ['as JSON', jsonReporter],
])('a line of the log %s is one line without controls', (_, reporterOf) => {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  reporterOf({ write, nowMs: () => 0, level: 'info' }).warn(EVIL, { note: EVIL });
  expect(written).toHaveLength(1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
  expect(written[0]).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028\u202e]*\n$/);
});

test.each([true, false])(
  'a line of the log of the server is one line without controls (terminal: %s)',
  (isTerminal) => {
    const written: string[] = [];
    const write = (text: string) => void written.push(text);
    openLog({ write, nowMs: () => 0, level: 'info', isTerminal }).warn({ reason: EVIL }, EVIL);
    expect(written).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
    expect(written[0]).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028\u202e]*\n$/);
    if (!isTerminal) expect(JSON.parse(written[0] ?? '')).toMatchObject({ reason: EVIL, msg: EVIL });
  },
);

test('the client prints JSON of a service as the same JSON, without controls that a terminal obeys', () => {
  const given = JSON.stringify({ name: EVIL });
  expect(printableOfClient(given)).not.toMatch(/[\u0080-\u009f\u2028\u202e]/);
  expect(JSON.parse(printableOfClient(given))).toEqual({ name: EVIL });
});

test('the text of a fault has no control characters', () => {
  expect(new NetFault('refused', EVIL).message).toBe(SAFE);
});
