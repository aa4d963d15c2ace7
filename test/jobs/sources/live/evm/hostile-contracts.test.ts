// Contracts that are written to harm whoever reads them: names of any bytes, and calls that use up what a node allows.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AGGREGATE, MULTICALL3 } from '../../../../../jobs/sources/live/evm/contract-call.ts';
import { callAll } from '../../../../../jobs/sources/live/evm/multicall.ts';
import { type Rpc, RpcError } from '../../../../../jobs/sources/live/evm/rpc.ts';
import {
  MAX_NAME,
  MAX_SYMBOL,
  readTokens,
  shownName,
} from '../../../../../jobs/sources/live/evm/token-abi.ts';
import { contractFunction } from '../../../../../platform/base/contract-abi.ts';
import { anyCharacter } from '../../../../support/any-character.ts';

const DECIMALS = contractFunction('decimals', {}, 'uint8');
const TEXT = contractFunction('text', { text: 'string' }, 'string');
const textResult = (text: string) => `0x${TEXT.encodeCall({ text }).slice(10)}`;
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const name = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom('U', '\u202e', '\u200b', '\ud83d', '😀', '\0', '\n', '<', '\u009b', '\ufeff'),
  }),
);

test('a name is shown without what hides, reorders or ends lines, and is never longer than its column', () => {
  fc.assert(
    fc.property(name, fc.constantFrom(MAX_SYMBOL, MAX_NAME), (text, max) => {
      const shown = shownName(text, max);
      expect(shown).not.toMatch(HIDDEN);
      expect(shown.isWellFormed()).toBe(true);
      expect([...shown].length).toBeLessThanOrEqual(max);
      expect(shownName(shown, max)).toBe(shown);
    }),
  );
});

test.each([
  ['USD0++', 'USD0++'],
  ['  PT-sUSDE-27NOV2025 ', 'PT-sUSDE-27NOV2025'],
  ['Steakhouse é 中', 'Steakhouse é 中'],
  ['US\u200bDC', 'USDC'],
  ['\u202eCDSU', 'CDSU'],
  [`${'x'.repeat(63)}😀😀`, `${'x'.repeat(63)}😀`],
  ['n'.repeat(5_000_000), 'n'.repeat(64)],
])('the symbol %.20j is shown as %.20j', (given, shown) => {
  expect(shownName(given, MAX_SYMBOL)).toBe(shown);
});

test('tokens with any symbol and any decimals have facts that their columns take', async () => {
  await fc.assert(
    fc.asyncProperty(name, fc.integer({ min: 0, max: 255 }), async (text, decimals) => {
      const answers = [textResult(text.toWellFormed()), word(decimals)];
      const facts = await readTokens(
        (calls) =>
          Promise.resolve(calls.map((_, index) => ({ isSuccess: true, data: answers[index] ?? '0x' }))),
        ['0xa'],
      );
      for (const { symbol, decimals: known } of facts.values()) {
        expect(symbol).not.toBe('');
        expect([...symbol].length).toBeLessThanOrEqual(MAX_SYMBOL);
        expect(known).toBeLessThanOrEqual(36);
      }
    }),
  );
});

const RESULTS = contractFunction('results', { results: [{ success: 'bool', returnData: 'bytes' }] }, 'bool');
const address = (index: number) => `0x${(index + 1).toString(16).padStart(40, '0')}`;

/** A node on which a request fails if one of its calls goes to a hostile contract. */
const nodeWith =
  (isHostile: (target: string) => boolean, message: string): Rpc =>
  (_, [request]) => {
    const { data, to } = request as { readonly data: string; readonly to: string };
    expect(to).toBe(MULTICALL3);
    const calls = AGGREGATE.decodeCall(data)?.calls ?? [];
    if (calls.some(({ target }) => isHostile(target))) return Promise.reject(new RpcError(message, -32000));
    const results = calls.map(({ target }) => ({ success: true, returnData: word(Number(target)) }));
    const result = `0x${RESULTS.encodeCall({ results }).slice(10)}`;
    return Promise.resolve({ result, body: '' });
  };

const block = { number: 1, hash: `0x${'1'.repeat(64)}` };
const callsTo = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ target: address(index), data: DECIMALS.selector }));

test.each(['out of gas', 'gas required exceeds allowance (50000000)', 'EVM error: OutOfGas'])(
  'contracts that answer %j are silent, and every other contract is read',
  async (message) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.nat(), async (count, seed) => {
        const hostile = new Set([address(seed % count), address((seed * 7) % count)]);
        const node = nodeWith((target) => hostile.has(target), message);
        const results = await callAll(node, callsTo(count), { block, batch: 16, mayRevert: true });
        results.forEach(({ isSuccess, data }, index) => {
          const isHostile = hostile.has(address(index));
          expect([isSuccess, data]).toEqual(isHostile ? [false, '0x'] : [true, word(index + 1)]);
        });
      }),
      { numRuns: 20 },
    );
  },
);

test('a node that fails for another reason is not taken for a silent contract', async () => {
  for (const message of ['internal error', 'execution reverted', '429 too many requests'])
    await expect(
      callAll(
        nodeWith(() => true, message),
        callsTo(2),
        { block },
      ),
    ).rejects.toThrow(message);
});

test.each(['0x', '0x01', word(32), `0x${'f'.repeat(192)}`, textResult(''), textResult('\0\n')])(
  'a token whose symbol is %.20j is not known, and no other is lost for it',
  async (symbol) => {
    const answers = [symbol, word(18), textResult('USDC'), word(6)];
    const facts = await readTokens(
      (calls) =>
        Promise.resolve(calls.map((_, index) => ({ isSuccess: true, data: answers[index] ?? '0x' }))),
      ['0xa', '0xb'],
    );
    expect([...facts]).toEqual([['0xb', { symbol: 'USDC', decimals: 6 }]]);
  },
);
