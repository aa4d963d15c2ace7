// A node of a chain whose contracts are the feeds of the world: blocks every twelve seconds, final after 64 of them.
import { createHash } from 'node:crypto';
import { decodeAbiParameters, encodeAbiParameters, type Hex, parseAbiParameters } from 'viem';
import { type FeedTruth, type Round, roundOf, roundsUntil } from './truth-feeds.ts';

const GENESIS = 1_438_269_973;
const BLOCK_S = 12;
const FINAL_AFTER = 64;
const METHOD_NOT_FOUND = -32_601;

const CALLS = parseAbiParameters('(address target, bool allowFailure, bytes callData)[]');
const RESULTS = parseAbiParameters('(bool success, bytes returnData)[]');
/** Names of calls by the first four bytes of their data. */
const SELECTORS: { readonly [selector: string]: string } = {
  '0x313ce567': 'decimals',
  '0xfeaf968c': 'latestRoundData',
  '0x9a6fc8f5': 'getRoundData',
  '0xc1597304': 'phaseAggregators',
  '0x668a0f02': 'latestRound',
};
/** `Error(string)` with the words of the real contracts. */
const REVERTED: Hex = `0x08c379a0${word(32n)}${word(15n)}${Buffer.from('No data present').toString('hex').padEnd(64, '0')}`;

interface RpcCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

const hex = (number: number): Hex => `0x${number.toString(16)}`;
const hashOf = (block: number): Hex => `0x${createHash('sha256').update(`block ${block}`).digest('hex')}`;

/** What a node says to a call at a moment, as a JSON-RPC document. */
export class ChainNode {
  readonly #feeds: ReadonlyMap<string, FeedTruth>;
  /** Aggregators behind the proxies, one for each phase. */
  readonly #aggregators = new Map<string, { readonly feed: FeedTruth; readonly phase: bigint }>();

  constructor(feeds: readonly FeedTruth[]) {
    this.#feeds = new Map(feeds.map((feed) => [feed.address, feed]));
    for (const feed of feeds)
      for (const phase of new Set(feed.rounds.map(({ id }) => id >> 64n)))
        this.#aggregators.set(aggregatorOf(feed, phase), { feed, phase });
  }

  answer(body: string, now: number): object {
    const { id, method, params } = JSON.parse(body) as RpcCall;
    const result = this.#result(method, params, now);
    return result === undefined
      ? {
          jsonrpc: '2.0',
          id,
          error: { code: METHOD_NOT_FOUND, message: `the method ${method} does not exist` },
        }
      : { jsonrpc: '2.0', id, result };
  }

  #result(method: string, params: readonly unknown[], now: number): unknown {
    if (method === 'eth_chainId') return '0x1';
    if (method === 'eth_getBlockByNumber') return blockOf(String(params[0]), now);
    if (method !== 'eth_call') return undefined;
    const [{ data }, block] = params as [{ readonly data: Hex }, string];
    return this.#multicall(data, GENESIS + Number(block) * BLOCK_S);
  }

  #multicall(data: Hex, at: number): Hex {
    const [calls] = decodeAbiParameters(CALLS, `0x${data.slice(10)}`);
    const results = calls.map(({ target, callData }) => {
      const returnData = this.#call(target.toLowerCase(), callData, at);
      return { success: returnData !== null, returnData: returnData ?? REVERTED };
    });
    return encodeAbiParameters(RESULTS, [results]);
  }

  /** Null for a call that reverts. */
  #call(target: string, data: Hex, at: number): Hex | null {
    const called = SELECTORS[data.slice(0, 10)];
    const argument = data.length > 10 ? BigInt(`0x${data.slice(10)}`) : 0n;
    const aggregator = this.#aggregators.get(target);
    if (aggregator !== undefined) {
      const last = called === 'latestRound' ? lastOf(aggregator.feed, at, aggregator.phase) : undefined;
      return last === undefined ? null : `0x${word(last.id & ROUND_MASK)}`;
    }
    const feed = this.#feeds.get(target);
    if (feed === undefined) return null;
    if (called === 'decimals') return `0x${word(8n)}`;
    if (called === 'phaseAggregators') return `0x${aggregatorOf(feed, argument).slice(2).padStart(64, '0')}`;
    const known = roundsUntil(feed, at);
    const wanted = called === 'getRoundData' ? roundOf(feed, argument) : feed.rounds[known - 1];
    return wanted === undefined || wanted.at > at ? null : encodeRound(wanted);
  }
}

const ROUND_MASK = (1n << 64n) - 1n;

/** A word of 32 bytes. */
function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

const encodeRound = ({ id, answer, at }: Round): Hex =>
  `0x${[id, answer, BigInt(at), BigInt(at), id].map(word).join('')}`;

const lastOf = (feed: FeedTruth, at: number, phase: bigint): Round | undefined =>
  feed.rounds.slice(0, roundsUntil(feed, at)).findLast(({ id }) => id >> 64n === phase);

const aggregatorOf = ({ address }: FeedTruth, phase: bigint): Hex =>
  `0x${phase.toString(16).padStart(4, 'b')}${address.slice(6)}`;

/** The block that a tag or number names; null for one that is not there yet. */
function blockOf(name: string, now: number): object | null {
  const newest = Math.floor((now - GENESIS) / BLOCK_S);
  const number = name === 'finalized' ? newest - FINAL_AFTER : name === 'latest' ? newest : Number(name);
  if (!(number <= newest)) return null;
  return {
    number: hex(number),
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timestamp: hex(GENESIS + number * BLOCK_S),
    logsBloom: '0x',
    transactions: [],
  };
}
