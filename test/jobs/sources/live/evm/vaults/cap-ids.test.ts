import { describe, expect, it, test } from 'vitest';
import {
  adapterIdData,
  capIdOf,
  capSubjectOf,
  collateralIdData,
  marketIdData,
  marketIdOf,
} from '../../../../../../jobs/sources/live/evm/vaults/cap-ids.ts';

const address = (digits: string) => `0x${digits.repeat(20)}`;
const ADAPTER = address('55');
const PARAMS = {
  loanToken: address('11'),
  collateralToken: address('22'),
  oracle: address('33'),
  irm: address('44'),
  lltv: 86n * 10n ** 16n,
};
const MARKET_ID = marketIdOf(PARAMS);

describe('ids of caps', () => {
  test.each([
    ['a market', MARKET_ID, '0x3a5d3559'],
    ['an adapter', capIdOf(adapterIdData(ADAPTER)), '0xe7a4c656'],
    ['a collateral token', capIdOf(collateralIdData(PARAMS.collateralToken)), '0x5607498a'],
    ['a market through an adapter', capIdOf(marketIdData(ADAPTER, PARAMS)), '0x4c4489cb'],
  ])('of %s', (_, id, expected) => {
    expect(id.slice(0, expected.length)).toBe(expected);
    expect(id).toHaveLength(66);
  });

  test.each([
    [adapterIdData(ADAPTER), { kind: 'adapter', adapter: ADAPTER }],
    [collateralIdData(PARAMS.collateralToken), { kind: 'collateral', token: PARAMS.collateralToken }],
    [
      marketIdData(ADAPTER, PARAMS),
      { kind: 'market', adapter: ADAPTER, marketId: MARKET_ID, params: PARAMS },
    ],
  ])('are explained by their data', (data, subject) => {
    expect(capSubjectOf(data)).toEqual(subject);
    expect(capSubjectOf(`0x${data.slice(2).toUpperCase()}`)).toEqual(subject);
  });

  const unknownTag = adapterIdData(ADAPTER).replace(
    Buffer.from('this').toString('hex'),
    Buffer.from('that').toString('hex'),
  );
  test.each([
    ['an unknown tag', unknownTag],
    ['bytes after the data', `${adapterIdData(ADAPTER)}00`],
    ['data that ends early', adapterIdData(ADAPTER).slice(0, -64)],
    ['no data', '0x'],
    [
      'an address of more than 20 bytes',
      adapterIdData(ADAPTER).replace(`${'00'.repeat(12)}55`, `01${'00'.repeat(11)}55`),
    ],
  ])('are passed on unexplained with %s', (_, data) => {
    expect(capSubjectOf(data)).toEqual({ kind: 'other', data });
  });
});

it('names a market by all its parameters', () => {
  expect(marketIdOf({ ...PARAMS, lltv: PARAMS.lltv + 1n })).not.toBe(MARKET_ID);
});
