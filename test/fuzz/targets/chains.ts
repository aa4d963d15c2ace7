// Responses of nodes and the data of contracts: whoever runs a node, or has deployed a contract.
import { decodeLog, KNOWN_EVENTS } from '../../../jobs/families/lending/decode-log.ts';
import { headerOf } from '../../../jobs/sources/live/evm/block.ts';
import { ChainFault } from '../../../jobs/sources/live/evm/chain-fault.ts';
import { AGGREGATE, MULTICALL3, readResult } from '../../../jobs/sources/live/evm/contract-call.ts';
import { GOVERNOR_TOPICS, governorRows } from '../../../jobs/sources/live/evm/governor-rows.ts';
import { callsIn } from '../../../jobs/sources/live/evm/multicall.ts';
import { logsOf, nodeLogOf } from '../../../jobs/sources/live/evm/node-log.ts';
import { refusalOf } from '../../../jobs/sources/live/evm/rpc.ts';
import { poolSwapOf, SWAP_TOPICS } from '../../../jobs/sources/live/evm/swap-logs.ts';
import { capSubjectOf } from '../../../jobs/sources/live/evm/vaults/cap-ids.ts';
import { decodeFields, encodeFields, type Fields, hexDigits } from '../../../platform/base/abi-codec.ts';
import { demand, type FuzzTarget, ofJson } from '../fuzz-target.ts';

const TYPES: readonly Fields[] = [
  { a: 'uint256', b: 'address', c: 'bool', d: 'bytes4', e: 'int24' },
  { a: 'bytes', b: 'string' },
  { a: [{ b: 'address', c: 'bytes' }], d: 'uint80' },
  { a: [['uint256']], b: { c: ['address'] } },
];
const word = (value: bigint | string) =>
  (typeof value === 'bigint' ? value.toString(16) : value).padStart(64, '0');

/** What decodes encodes to a value that decodes to the same. */
function decodeAll(data: string): void {
  for (const fields of TYPES) {
    try {
      const value = decodeFields(fields, data);
      const again = decodeFields(fields, `0x${encodeFields(fields, value)}`);
      demand(textOf(again) === textOf(value), 'another value when encoded again');
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one));

/** Bytes as they are, so that mutations change words and not digits. */
const hexOf = (input: Buffer): string => `0x${input.toString('hex')}`;

const ADDRESS = `0x${'ab'.repeat(20)}`;
const HASH = `0x${'cd'.repeat(32)}`;
const LOG = {
  address: ADDRESS,
  topics: [SWAP_TOPICS[0] ?? HASH, HASH],
  data: `0x${word(1n).repeat(4)}`,
  blockNumber: '0x10',
  blockHash: HASH,
  blockTimestamp: '0x65000000',
  transactionHash: HASH,
  logIndex: '0x1',
};
const RANGE = {
  filter: { addresses: [ADDRESS], topics: [] },
  from: 1,
  to: { number: 0x10, hash: HASH },
};

/** The first byte chooses the event, the next words are its topics, and the rest is its data. */
function decodeEvent(input: Buffer): void {
  const topics0 = [...KNOWN_EVENTS.map(({ topic0 }) => topic0), ...SWAP_TOPICS, ...GOVERNOR_TOPICS];
  const count = (input[1] ?? 0) % 4;
  const topics = Array.from({ length: count }, (_, n) => hexOf(input.subarray(2 + 32 * n, 34 + 32 * n)));
  const first = topics0[(input[0] ?? 0) % topics0.length] ?? '';
  const log = { ...nodeLogOf(LOG), topics: [first, ...topics], data: hexOf(input.subarray(2 + 32 * count)) };
  const { values } = decodeLog(log);
  JSON.stringify([...values]);
  governorRows(log, 1_700_000_000, { protocol: 'a', blockSeconds: 12, decimals: 18 } as Parameters<
    typeof governorRows
  >[2]);
  try {
    poolSwapOf(log, 1_700_000_000);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

const RESULT = AGGREGATE.encodeCall({
  calls: [{ target: ADDRESS, allowFailure: true, callData: '0x12345678' }],
});

const from = 'a node or a contract';
const fullWords = (text: string) => Buffer.from(text, 'hex');

export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'chains/abi',
    from,
    seeds: TYPES.slice(1)
      .map((_, n) => fullWords([32n, 1n, BigInt(n), 32n, 3n].map(word).join('')))
      .concat([
        fullWords(
          encodeFields(TYPES[2] as { a: [{ b: 'address'; c: 'bytes' }]; d: 'uint80' }, {
            a: [{ b: ADDRESS, c: '0x1234' }],
            d: 5n,
          }),
        ),
        fullWords(hexDigits(RESULT).slice(8)),
      ]),
    refuses: [RangeError],
    operations: (bytes) => 100_000 + 4_000 * bytes,
    run: (input) => {
      decodeAll(hexOf(input));
      readResult(AGGREGATE, { isSuccess: true, data: hexOf(input) });
    },
  },
  {
    name: 'chains/events',
    from,
    seeds: [fullWords('0001'.padEnd(4 + 64 * 4, '0')), fullWords('ff02'.padEnd(4 + 64 * 6, '0'))],
    refuses: [],
    operations: (bytes) => 200_000 + 4_000 * bytes,
    run: decodeEvent,
  },
  {
    name: 'chains/logs',
    from,
    seeds: [JSON.stringify([LOG])],
    refuses: [ChainFault],
    run: ofJson((value) => {
      const logs = logsOf(value, RANGE);
      for (const { blockNumber } of logs) demand(blockNumber >= 1 && blockNumber <= 0x10, 'another block');
    }),
  },
  {
    name: 'chains/header',
    from,
    seeds: [
      JSON.stringify({ number: '0x1', hash: HASH, parentHash: HASH, timestamp: '0x1', logsBloom: '0x' }),
    ],
    refuses: [ChainFault],
    run: ofJson((value) => demand(Number.isSafeInteger(headerOf(value).number), 'no number')),
  },
  {
    name: 'chains/refusal',
    from,
    seeds: [
      'query returns more than 10000 results. Try with this block range [0x1, 0x7d0].',
      'up to a 2K block range',
    ],
    refuses: [],
    run: (input) => {
      const { size } = refusalOf({ message: input.toString() });
      demand(size === null || (Number.isSafeInteger(size) && size >= 1), `a size of ${size}`);
    },
  },
  {
    name: 'chains/calls',
    from,
    seeds: [JSON.stringify(`0x${word(32n)}${word(0n)}`)],
    refuses: [ChainFault],
    run: ofJson((result) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result });
      callsIn([{ method: 'eth_call', params: [{ to: MULTICALL3, data: RESULT }], body }]);
    }),
  },
  {
    name: 'chains/caps',
    from,
    seeds: [fullWords(word(0x20n) + word(4n) + '74686973'.padEnd(64, '0'))],
    refuses: [RangeError],
    run: (input) => capSubjectOf(hexOf(input)),
  },
];
