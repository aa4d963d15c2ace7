// A blockchain node: blocks every twelve seconds, final after 64 blocks, contract calls through Multicall3, and logs.
import { createHash } from 'node:crypto';
import { decodeAbiParameters, encodeAbiParameters, type Hex, parseAbiParameters } from 'viem';
import { addressOf, blockAt, type ContractLog, type Contracts, timeOf } from './contracts.ts';
import type { PlacedLog } from './truth-logs.ts';

const FINAL_AFTER = 64;
/** The largest block range it searches for logs. */
const MAX_RANGE = 20_000;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;

const CALLS = parseAbiParameters('(address target, bool allowFailure, bytes callData)[]');
const RESULTS = parseAbiParameters('(bool success, bytes returnData)[]');
/** `Error(string)` with the message of the real contracts. */
const REVERTED: Hex = `0x08c379a0${word(32n)}${word(15n)}${Buffer.from('No data present').toString('hex').padEnd(64, '0')}`;
/** A bloom filter that matches everything, and one that matches nothing. */
const [FULL_BLOOM, EMPTY_BLOOM] = [`0x${'f'.repeat(512)}`, `0x${'0'.repeat(512)}`];

/** A router that any account may call. */
const ROUTER = '0x7a250d5630b4cf539739df2c5dacb4c659f2488d';
const NO_PARENT = `0x${'0'.repeat(64)}`;

interface RpcCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface LogQuery {
  readonly address: readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
}

class Refused extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const hex = (number: number): Hex => `0x${number.toString(16)}`;
/** The hash contains the block number, which saves keeping a list. */
const hashOf = (block: number): Hex =>
  `0x${createHash('sha256').update(`block ${block}`).digest('hex').slice(0, 48)}${block.toString(16).padStart(16, '0')}`;
const numberIn = (hash: string) => Number.parseInt(hash.slice(-16), 16);

/** The node's response to a call at a time, as a JSON-RPC document. */
export class ChainNode {
  readonly #contracts: Contracts;
  readonly #logs: ReadonlyMap<number, readonly PlacedLog[]>;
  readonly #transactions: ReadonlyMap<string, PlacedLog>;

  /** `logs` are in chain order. */
  constructor(contracts: Contracts, logs: readonly PlacedLog[]) {
    this.#contracts = contracts;
    this.#logs = Map.groupBy(logs, ({ log }) => log.block);
    this.#transactions = new Map(logs.map((one) => [one.transaction, one]));
  }

  answer(body: string, now: number): object {
    const { id, method, params } = JSON.parse(body) as RpcCall;
    try {
      return { jsonrpc: '2.0', id, result: this.#result(method, params, now) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
    }
  }

  #result(method: string, params: readonly unknown[], now: number): unknown {
    switch (method) {
      case 'eth_chainId':
        return '0x1';
      case 'eth_getBlockByNumber':
        return this.#block(String(params[0]), now);
      case 'eth_getLogs':
        return this.#logsOf(params[0] as LogQuery, now);
      case 'eth_getTransactionByHash':
        return this.#transaction(String(params[0]), now);
      case 'eth_call': {
        const [{ data }, block] = params as [{ readonly data: Hex }, string];
        return this.#multicall(data, timeOf(Number(block)));
      }
      default:
        throw new Refused(METHOD_NOT_FOUND, `the method ${method} does not exist`);
    }
  }

  #multicall(data: Hex, at: number): Hex {
    const [calls] = decodeAbiParameters(CALLS, `0x${data.slice(10)}`);
    const results = calls.map(({ target, callData }) => {
      const contract = this.#contracts.get(target.toLowerCase());
      // An address without a contract returns nothing.
      const returnData = contract === undefined ? '0x' : contract.call(callData, at);
      return { success: returnData !== null, returnData: returnData ?? REVERTED };
    });
    return encodeAbiParameters(RESULTS, [results]);
  }

  #logsOf({ blockHash, fromBlock, toBlock, address, topics = [] }: LogQuery, now: number): object[] {
    const from = blockHash === undefined ? Number(fromBlock) : numberIn(blockHash);
    const to = blockHash === undefined ? Number(toBlock) : from;
    if (to > blockAt(now)) throw new Refused(INVALID_PARAMS, 'block range extends beyond current head block');
    if (to - from >= MAX_RANGE) throw new Refused(INVALID_PARAMS, `exceed maximum block range: ${MAX_RANGE}`);
    const wanted = new Set(address.map((one) => one.toLowerCase()));
    const found: object[] = [];
    for (let block = from; block <= to; block++)
      for (const one of this.#logs.get(block) ?? [])
        if (wanted.has(one.log.address) && hasTopics(one.log, topics)) found.push(nodeLog(one));
    return found;
  }

  #transaction(hash: string, now: number): object | null {
    const found = this.#transactions.get(hash);
    if (found === undefined || found.log.block > blockAt(now)) return null;
    const { log, index } = found;
    const from = log.sender ?? addressOf('someone');
    return { hash, blockHash: hashOf(log.block), transactionIndex: hex(index), from, to: ROUTER };
  }

  /** The block that a tag or number names; null if it does not exist yet. */
  #block(name: string, now: number): object | null {
    const newest = blockAt(now);
    const number = name === 'finalized' ? newest - FINAL_AFTER : name === 'latest' ? newest : Number(name);
    if (!(number <= newest)) return null;
    return {
      number: hex(number),
      hash: hashOf(number),
      parentHash: number === 0 ? NO_PARENT : hashOf(number - 1),
      timestamp: hex(timeOf(number)),
      logsBloom: this.#logs.has(number) ? FULL_BLOOM : EMPTY_BLOOM,
      transactions: [],
    };
  }
}

const hasTopics = (log: ContractLog, wanted: NonNullable<LogQuery['topics']>): boolean =>
  wanted.every((one, index) => one === null || [one].flat().includes(log.topics[index] ?? ''));

const nodeLog = ({ log: { address, topics, data, block }, index, transaction }: PlacedLog) => ({
  address,
  topics,
  data,
  blockNumber: hex(block),
  blockHash: hashOf(block),
  transactionHash: transaction,
  logIndex: hex(index),
  removed: false,
});

/** A word of 32 bytes. */
function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
