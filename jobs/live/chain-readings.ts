// The kinds of readings of a chain: what is asked, and the rows of raw tables that come of it. Rows of several tables in one reading name
// theirs in `table`; the mapping of each source picks its own.

import type { CHAIN_READINGS, ChainSection } from './chain-section.ts';
import { type Header, readHeader } from './evm/block.ts';
import { firstBlockAfter } from './evm/block-times.ts';
import { GOVERNOR_TOPICS, governorRow } from './evm/governor-rows.ts';
import { vaultLogRow } from './evm/log-rows.ts';
import { type LogWindow, readLogWindows } from './evm/log-windows.ts';
import type { NodeLog, TopicFilter } from './evm/node-log.ts';
import { aaveRows, readAave } from './evm/read-aave.ts';
import { blockRows, readBlocks } from './evm/read-blocks.ts';
import { morphoRows, readMorpho } from './evm/read-morpho.ts';
import { type Feed, readRounds, roundRows } from './evm/read-rounds.ts';
import type { Exchange, Rpc } from './evm/rpc.ts';
import { FeedDirectory } from './feed-directory.ts';
import type { Window } from './plan-windows.ts';
import type { ReaderTools } from './reader.ts';

export type ChainRow = object;

export interface ChainTask {
  readonly chain: ChainSection;
  /** Name of the chain in rows. */
  readonly name: string;
  readonly window: Window;
  readonly head: Header;
  readonly memory: ChainMemory;
  readonly tools: ReaderTools;
}

/** What a process remembers between readings; losing it costs a repeated call or a repeated registry row. */
export interface ChainMemory {
  readonly directory: FeedDirectory;
  readonly registered: Set<string>;
}

export const openMemory = (): ChainMemory => ({ directory: new FeedDirectory(), registered: new Set() });

export interface ChainReading {
  readonly rows: readonly ChainRow[];
  readonly exchanges: readonly Exchange[];
  /** What could not be read, with the reason, in words. */
  readonly missing: readonly string[];
}

type Read = (rpc: Rpc, task: ChainTask) => Promise<ChainReading>;

const lower = (texts: readonly string[] | undefined) => (texts ?? []).map((text) => text.toLowerCase());

const feedRounds: Read = async (rpc, { chain, name, window, head, memory, tools }) => {
  const listed =
    chain.directory === undefined ? [] : await memory.directory.feeds(chain.directory, window.urgency, tools);
  const own = lower(chain.contracts).map((address): Feed => ({ address, decimals: null }));
  const feeds = [...own, ...listed.filter(({ address }) => own.every((one) => one.address !== address))];
  const reading = await readRounds(rpc, { feeds, known: new Map(), since: window.from, head });
  const missing = reading.missing.map(({ feed, why }) => `${feed}: ${why}`);
  return { rows: roundRows(name, reading), exchanges: reading.exchanges, missing };
};

const morphoMarkets: Read = async (rpc, { chain, name, head, memory }) => {
  const [morpho = ''] = lower(chain.contracts);
  const reading = await readMorpho(rpc, { morpho, ids: lower(chain.markets), head });
  const fresh = unregistered(
    memory,
    name,
    reading.value.markets.map(({ id }) => id),
  );
  const missing = reading.value.missing.map(({ id, why }) => `${id}: ${why}`);
  return {
    rows: named(morphoRows({ chain: name, protocol: 'morpho', fresh }, reading)),
    exchanges: reading.exchanges,
    missing,
  };
};

const aaveMarkets: Read = async (rpc, { chain, name, head, memory }) => {
  const [provider = ''] = lower(chain.contracts);
  const reading = await readAave(rpc, { provider, head });
  const fresh = unregistered(
    memory,
    name,
    reading.value.reserves.map(({ aToken }) => aToken),
  );
  const missing = reading.value.missing.map(({ asset, why }) => `${asset}: ${why}`);
  return {
    rows: named(aaveRows({ chain: name, protocol: 'aave', fresh }, reading)),
    exchanges: reading.exchanges,
    missing,
  };
};

const vaultLogs: Read = async (rpc, task) => {
  const { logs, exchanges } = await logsOf(rpc, task, []);
  return { rows: logs.map(({ log, time }) => vaultLogRow(task.name, log, { time })), exchanges, missing: [] };
};

/** Protocol, decimals and seconds between blocks are constants of the mapping. */
const governorLogs: Read = async (rpc, task) => {
  const { logs, exchanges } = await logsOf(rpc, task, [GOVERNOR_TOPICS]);
  const facts = { protocol: '', decimals: 0, blockSeconds: 0 };
  const rows = logs.map(({ log, time }) => governorRow(log, time, facts));
  const missing = logs
    .filter((_, at) => rows[at] === null)
    .map(({ log }) => `log ${log.logIndex} of ${log.transactionHash}, which does not fit its declaration`);
  return { rows: rows.filter((row) => row !== null), exchanges, missing };
};

const blocks: Read = async (rpc, { name, window, head }) => {
  const range = await blocksOf(rpc, window, head);
  if (range === null) return { rows: [], exchanges: [], missing: [] };
  const { exchanges } = await readBlocks(rpc, { from: range.first, to: range.last, before: null });
  return { rows: named(blockRows(name, exchanges)), exchanges, missing: [] };
};

/** Blocks later than the start of a window and not later than its end; null for none. */
async function blocksOf(rpc: Rpc, { from, to }: Window, head: Header) {
  const first = await firstBlockAfter(rpc, from, head);
  if (first === null) return null;
  const after = await firstBlockAfter(rpc, to, head);
  const last = after === null ? head.number : after.number - 1;
  return last < first.number ? null : { first: first.number, last };
}

export const CHAIN_READINGS_BY_NAME: { readonly [K in (typeof CHAIN_READINGS)[number]]: Read } = {
  feed_rounds: feedRounds,
  vault_logs: vaultLogs,
  governor_logs: governorLogs,
  morpho_markets: morphoMarkets,
  aave_markets: aaveMarkets,
  blocks,
};

const named = (tables: object): ChainRow[] =>
  Object.entries(tables).flatMap(([table, rows]) =>
    (rows as readonly object[]).map((row) => ({ table, ...row })),
  );

/** Those that were not delivered since this process started. */
function unregistered(
  { registered }: ChainMemory,
  chain: string,
  ids: readonly string[],
): ReadonlySet<string> {
  const fresh = new Set(ids.filter((id) => !registered.has(`${chain} ${id}`)));
  for (const id of fresh) registered.add(`${chain} ${id}`);
  return fresh;
}

/** Logs of the blocks of a window, with their times. */
async function logsOf(rpc: Rpc, { chain, window, head }: ChainTask, topics: TopicFilter) {
  const windows: LogWindow[] = [];
  const range = await blocksOf(rpc, window, head);
  if (range !== null) {
    const filter = { addresses: lower(chain.contracts), topics };
    const top = range.last === head.number ? head : await readHeader(rpc, range.last);
    for await (const one of readLogWindows(rpc, { filter, from: range.first, head: top, checkpoint: null }))
      windows.push(one);
  }
  const logs: { log: NodeLog; time: number }[] = windows.flatMap(({ logs, times }) =>
    logs.map((log) => ({ log, time: log.blockTimestamp ?? times.get(log.blockNumber) ?? 0 })),
  );
  return { logs, exchanges: windows.flatMap(({ exchanges }) => exchanges) };
}
