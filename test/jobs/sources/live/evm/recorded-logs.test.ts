// The logs of two recorded blocks of Ethereum, decoded by this project's declarations and by viem.
import { readFileSync } from 'node:fs';
import { type AbiEvent, decodeEventLog, type Hex, parseAbiItem } from 'viem';
import { expect, test } from 'vitest';
import {
  contractEvent,
  type EncodedLog,
  type EventFields,
} from '../../../../../platform/base/contract-abi.ts';
import { describeRealData, realData } from '../../../../support/real-data.ts';

const TRANSFER = {
  from: 'address indexed',
  to: 'address indexed',
  value: 'uint256',
} as const;

const EVENTS: readonly (readonly [declaration: string, fields: EventFields, logs: number])[] = [
  ['event Transfer(address indexed from, address indexed to, uint256 value)', TRANSFER, 282],
  [
    'event Approval(address indexed owner, address indexed spender, uint256 value)',
    { owner: 'address indexed', spender: 'address indexed', value: 'uint256' },
    84,
  ],
  ['event Sync(uint112 reserve0, uint112 reserve1)', { reserve0: 'uint112', reserve1: 'uint112' }, 69],
  [
    'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    {
      sender: 'address indexed',
      amount0In: 'uint256',
      amount1In: 'uint256',
      amount0Out: 'uint256',
      amount1Out: 'uint256',
      to: 'address indexed',
    },
    69,
  ],
  [
    'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
    {
      sender: 'address indexed',
      recipient: 'address indexed',
      amount0: 'int256',
      amount1: 'int256',
      sqrtPriceX96: 'uint160',
      liquidity: 'uint128',
      tick: 'int24',
    },
    10,
  ],
];

/** Addresses in lower case, and numbers of any size as bigint. */
const plain = (value: unknown) => {
  if (typeof value === 'number') return BigInt(value);
  return typeof value === 'string' ? value.toLowerCase() : value;
};

describeRealData('recorded logs of Ethereum', () => {
  const logs = readFileSync(realData('network-a/blocks-17173049-17173050/expected_logs.json'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as EncodedLog);

  test.each(EVENTS)('%s', (declaration, fields, count) => {
    const abi = parseAbiItem(declaration) as unknown as AbiEvent;
    const event = contractEvent(abi.name, fields);
    let decoded = 0;
    for (const { topics, data } of logs.filter((log) => log.topics[0] === event.topic)) {
      // An NFT's transfer and approval have the same topic, but index their last argument.
      if (topics.length === 4) {
        expect(() => event.decodeLog({ topics, data })).toThrow(RangeError);
        continue;
      }
      const { args } = decodeEventLog({ abi: [abi], topics: topics as [Hex, ...Hex[]], data: data as Hex });
      const theirs = Object.entries(args ?? {}).map(([name, value]) => [name, plain(value)]);
      expect(event.decodeLog({ topics, data })).toEqual(Object.fromEntries(theirs));
      decoded++;
    }
    expect(decoded).toBe(count);
  });
});
