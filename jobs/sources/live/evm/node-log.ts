// Checks logs as nodes return them: a log that was not requested, appears twice in one response or has been withdrawn is not accepted.
import type { BlockRef } from './rpc.ts';
import { ChainFault } from './chain-fault.ts';
import { addressOf, bytesOf, hashOf, numberOf } from './hex.ts';

export interface NodeLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** Unix seconds; null if the node omits it. */
  readonly blockTimestamp: number | null;
  readonly transactionHash: string;
  readonly logIndex: number;
}

/** Topics by position: one value, any of several, or null for any at all. */
export type TopicFilter = readonly (string | readonly string[] | null)[];

export interface LogFilter {
  /** In lower case. */
  readonly addresses: readonly string[];
  readonly topics: TopicFilter;
}

export interface LogRange {
  readonly filter: LogFilter;
  readonly from: number;
  readonly to: BlockRef;
}

/** The logs of one response in the order of the chain. @throws ChainFault `shape`, or `moved` if the end of the range has another hash */
export function logsOf(result: unknown, { filter, from, to }: LogRange): readonly NodeLog[] {
  if (!Array.isArray(result)) throw new ChainFault('shape', 'the response to eth_getLogs is not a list.');
  const wanted = new Set(filter.addresses);
  const logs = result.map((entry) => {
    const log = nodeLogOf(entry);
    if (log.blockNumber < from || log.blockNumber > to.number)
      throw new ChainFault(
        'shape',
        `a log of block ${log.blockNumber} was returned for blocks ${from} to ${to.number}.`,
      );
    if (!wanted.has(log.address) || !matches(log.topics, filter.topics))
      throw new ChainFault('shape', `a log of ${log.address} was returned that was not requested.`);
    if (log.blockNumber === to.number && log.blockHash !== to.hash)
      throw new ChainFault('moved', `block ${to.number} changed while its logs were read.`);
    return log;
  });
  return inOrder(logs);
}

export function nodeLogOf(value: unknown): NodeLog {
  const log = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (log['removed'] === true)
    throw new ChainFault('moved', 'the node returned a log that it has withdrawn.');
  const topics = log['topics'];
  if (!Array.isArray(topics)) throw new ChainFault('shape', 'a log has no topics.');
  const time = log['blockTimestamp'];
  return {
    address: addressOf(log['address'], 'the address of a log'),
    topics: topicsOf(topics),
    data: bytesOf(log['data'], 'the data of a log'),
    blockNumber: numberOf(log['blockNumber'], 'the block of a log'),
    blockHash: hashOf(log['blockHash'], 'the block hash of a log'),
    blockTimestamp: time === undefined || time === null ? null : numberOf(time, 'the time of a log'),
    transactionHash: hashOf(log['transactionHash'], 'the transaction of a log'),
    logIndex: numberOf(log['logIndex'], 'the index of a log'),
  };
}

/** Returns the list itself if all topics are well-formed, because copying each list would be most of the work. */
function topicsOf(topics: readonly unknown[]): readonly string[] {
  const isAsIs = topics.every((topic) => hashOf(topic, 'a topic') === topic);
  return isAsIs ? (topics as readonly string[]) : topics.map((topic) => hashOf(topic, 'a topic'));
}

const matches = (topics: readonly string[], filter: TopicFilter): boolean =>
  filter.every((wanted, index) => {
    const topic = topics[index] ?? '';
    return wanted === null || (typeof wanted === 'string' ? wanted === topic : wanted.includes(topic));
  });

function inOrder(logs: readonly NodeLog[]): readonly NodeLog[] {
  const isBefore = (a: NodeLog, b: NodeLog) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex;
  const isOrdered = logs.every((log, index) => index === 0 || isBefore(logs[index - 1] ?? log, log) <= 0);
  const ordered = isOrdered ? logs : logs.toSorted(isBefore);
  ordered.forEach((log, index) => {
    const before = ordered[index - 1];
    if (before?.blockNumber !== log.blockNumber) return;
    if (before.blockHash !== log.blockHash)
      throw new ChainFault('moved', `block ${log.blockNumber} changed while its logs were read.`);
    if (before.logIndex === log.logIndex)
      throw new ChainFault('shape', `log ${log.logIndex} of block ${log.blockNumber} was returned twice.`);
  });
  return ordered;
}
