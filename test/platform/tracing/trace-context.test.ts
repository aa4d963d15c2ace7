import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isInRatio, readTraceparent, TraceIds } from '../../../platform/tracing/trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('traceparent', () => {
  test.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    // Of the flags only the lowest bit is defined.
    [`00-${TRACE}-${SPAN}-fe`, false],
    [`00-${TRACE}-${SPAN}-ff`, true],
    // Later versions may append members.
    [`cc-${TRACE}-${SPAN}-01`, true],
    [`cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, true],
  ])('%s is read', (header, isSampled) => {
    expect(readTraceparent(header)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
  });

  test.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['two headers', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['a list', [`00-${TRACE}-${SPAN}-01`]],
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['more members in version 00', `00-${TRACE}-${SPAN}-01-more`],
    ['a later version that goes on without a dash', `cc-${TRACE}-${SPAN}-01.more`],
    ['capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['no trace', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['no span', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['a short trace', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['a long span', `00-${TRACE}-${SPAN}0-01`],
    ['no flags', `00-${TRACE}-${SPAN}`],
    ['flags of one digit', `00-${TRACE}-${SPAN}-1`],
    ['spaces', ` 00-${TRACE}-${SPAN}-01`],
    ['a line end', `00-${TRACE}-${SPAN}-01\n`],
    ['other digits', `00-${'g'.repeat(32)}-${SPAN}-01`],
  ])('%s is ignored', (_what, header) => {
    expect(readTraceparent(header)).toBeUndefined();
  });

  test('no text makes it throw', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => {
        readTraceparent(text);
      }),
    );
  });
});

describe('the ratio', () => {
  test('1 takes every trace, 0 takes none', () => {
    for (const trace of ['0'.repeat(31).concat('1'), 'f'.repeat(32), TRACE]) {
      expect(isInRatio(trace, 1)).toBe(true);
      expect(isInRatio(trace, 0)).toBe(false);
    }
  });

  test('takes the traces whose last digits are largest, so that a higher ratio takes all that a lower one took', () => {
    const ending = (digits: string) => digits.padStart(32, '1');
    expect(isInRatio(ending('8000000000000'), 0.5)).toBe(true);
    expect(isInRatio(ending('7ffffffffffff'), 0.5)).toBe(false);
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.bigInt(1n, (1n << 128n) - 1n),
        (ratio, id) => {
          const trace = id.toString(16).padStart(32, '0');
          if (isInRatio(trace, ratio / 2)) expect(isInRatio(trace, ratio)).toBe(true);
        },
      ),
    );
  });

  test('takes about as many traces as it says', () => {
    const ids = new TraceIds(randomBytes);
    const traces = Array.from({ length: 20_000 }, () => ids.trace());
    const taken = traces.filter((trace) => isInRatio(trace, 0.25)).length;
    expect(Math.abs(taken / traces.length - 0.25)).toBeLessThan(0.025);
  });
});

test('ids are never repeated within the random bytes, and have their lengths', () => {
  let requests = 0;
  const ids = new TraceIds((count) => {
    requests++;
    return randomBytes(count);
  });
  const made = Array.from({ length: 2_000 }, (_, index) => (index % 3 === 0 ? ids.trace() : ids.span()));
  expect(new Set(made).size).toBe(made.length);
  expect(new Set(made.map((id) => id.length))).toEqual(new Set([16, 32]));
  // 667 traces of 16 bytes and 1,333 spans of 8, in blocks of 4,096.
  expect(requests).toBe(6);
});
