// Verbatim messages with which nodes and providers refuse a range of blocks.
import { describe, expect, it } from 'vitest';
import { RangeSize } from '../../../../../jobs/sources/live/evm/log-windows.ts';
import { refusalOf } from '../../../../../jobs/sources/live/evm/rpc.ts';

const ALCHEMY =
  'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x0, 0x79bcb3]';
const ALCHEMY_FREE =
  'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1180fca, 0x1180fd3]. Upgrade to PAYG for expanded block range.';

describe('a refusal', () => {
  it.each([
    ['geth', 'block range extends beyond current head block', 'ahead', null],
    ['geth, a limit set by its operator', 'exceed maximum block range: 5000', 'narrow', 5000],
    ['geth, history expired', 'pruned history unavailable', 'pruned', null],
    ['geth, old state', 'missing trie node 5d6cd2 (path )', 'pruned', null],
    ['geth, old state by path', 'historical state 0xabc is not available', 'pruned', null],
    ['reth', 'query exceeds max results 20000, retry with the range 6000000-6000509', 'narrow', 510],
    ['reth, too many blocks', 'query exceeds max block range 100000', 'narrow', 100_000],
    ['Infura', 'query returned more than 10000 results', 'narrow', null],
    ['Alchemy', ALCHEMY, 'narrow', 0x79bcb4],
    ['Alchemy without payment', ALCHEMY_FREE, 'narrow', 10],
    ['Alchemy, slow', 'Query timeout exceeded. Consider reducing your block range.', 'narrow', null],
    ['QuickNode', 'eth_getLogs is limited to a 10,000 range', 'narrow', 10_000],
    ['1RPC', 'eth_getLogs is limited to 0 - 10000 blocks range', 'narrow', 10_000],
    ['Sei', 'block range too large (2000), maximum allowed is 1000 blocks', 'narrow', 1000],
    ['Ankr', 'block range is too wide', 'narrow', null],
    ['dRPC', 'ranges over 10000 blocks are not supported on freetier', 'narrow', 10_000],
    ['Besu', 'Requested range exceeds maximum RPC range limit', 'narrow', null],
    ['Avalanche', 'requested to block 100 after last accepted block 99', 'ahead', null],
    ['a provider under load', 'Your app has exceeded its compute units per second capacity', 'busy', null],
    ['a provider under load', 'Too Many Requests', 'busy', null],
    ['anything else', 'internal error', 'other', null],
  ])('of %s: %s', (_, message, kind, size) => {
    expect(refusalOf({ message })).toEqual({ kind, size });
  });

  it('may contain a range in its data', () => {
    const data = { from: '0x10', to: '0x1f', limit: 10_000 };
    expect(refusalOf({ message: 'query returned more than 10000 results', data })).toEqual({
      kind: 'narrow',
      size: 16,
    });
  });
});

describe('the size of a range', () => {
  const unknown = { kind: 'other', size: null } as const;

  it('halves down to one block and then gives up', () => {
    const range = new RangeSize({ first: 7, max: 100 });
    const asked: number[] = [];
    do asked.push(range.size);
    while (range.refused(range.size, unknown));
    expect(asked).toEqual([7, 3, 1]);
  });

  it('doubles up to the maximum, but not immediately beyond a refused size', () => {
    const range = new RangeSize({ first: 10, max: 1000 });
    expect(range.refused(10, { kind: 'narrow', size: 4 })).toBe(true);
    expect(range.size).toBe(4);
    for (let time = 0; time < 31; time++) range.succeeded();
    expect(range.size).toBe(4);
    range.succeeded();
    expect(range.size).toBe(8);
  });

  it('ignores a hint that is no smaller than the refused size', () => {
    const range = new RangeSize({ first: 10, max: 1000 });
    range.refused(10, { kind: 'narrow', size: 10 });
    expect(range.size).toBe(5);
  });
});
