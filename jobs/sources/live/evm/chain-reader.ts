// Reads a window of a source on a chain, all of it from one node. The node's exact responses are kept as a separate page; the rows that
// were decoded from them are the page that lands.
import { DeliveredEntries } from '../fetch/delivered-entries.ts';
import { followVaultLogs, readVaultLogs } from './chain-following.ts';
import { readGovernorLogs } from './chain-logs.ts';
import { readAaveMarkets, readMorphoMarkets } from './chain-markets.ts';
import { readFeedRounds } from './chain-rounds.ts';
import { chainRpc, netFaultOf } from './chain-rpc.ts';
import { readAaveOracleRows, readOraclePathRows } from './chain-oracles.ts';
import { evidencePage, rowsPage } from './chain-pages.ts';
import type { CHAIN_READINGS, ChainSection } from './chain-section.ts';
import { readSwaps } from './chain-swaps.ts';
import { readVaultStateRows } from './chain-vaults.ts';
import { blocksOf, type Header, readHead } from './block.ts';
import { type ChainReading, type ChainReader, named, lower } from './chain-task.ts';
import { ChainFault } from './chain-fault.ts';
import { numberOf } from './hex.ts';
import { blockRows, readBlocks } from './read-blocks.ts';
import { type FeedBounds, readBounds } from './read-bounds.ts';
import type { BlockRef, Rpc } from './rpc.ts';
import { Directory } from '../fetch/directory.ts';
import type { LiveSource, Window } from '../fetch/live-source.ts';
import type { Reader, ReaderTools } from '../fetch/reader.ts';

// Reads the bounds of the feeds that a directory lists or that the source names. Bounds are delivered when they are new or have changed;
// those of a feed that cannot be read stay as they were delivered, and the feed is named.

const readFeedBounds: ChainReader = async (rpc, task) => {
  const { chain, name, head } = task;
  const listed = await task.listed.feeds();
  const delivered = new DeliveredEntries(task.state, task.mappings);
  const feeds = [
    ...new Set([...lower(chain.contracts), ...delivered.keys, ...listed.map(({ address }) => address)]),
  ];
  const { value, exchanges } = await readBounds(rpc, { feeds, head });
  const [first] = value.missing;
  if (first !== undefined && value.bounds.length === 0)
    throw new ChainFault(
      'incomplete',
      `the bounds of none of ${feeds.length} feeds can be read: ${first.feed}: ${first.why}.`,
    );
  const rows = value.bounds.map((bounds) => boundsRow(bounds, { chain: name, observed_at: head.timestamp }));
  const changed = delivered.newAmong(
    rows.map(({ observed_at: _, ...facts }) => ({ key: facts.feed_address, facts: JSON.stringify(facts) })),
  );
  return {
    rows: rows.filter(({ feed_address }) => changed.has(feed_address)),
    exchanges,
    missing: value.missing.map(({ feed, why }) => ({ subject: feed, reason: why })),
    state: delivered.state(),
  };
};

const boundsRow = (
  { feed, aggregator, min, max }: FeedBounds,
  at: { chain: string; observed_at: number },
) => ({
  ...at,
  feed_address: feed,
  aggregator_address: aggregator,
  min_answer: min.toString(),
  max_answer: max.toString(),
});

// Reads whole blocks with their receipts. The state of a reading is its last block, which the next reading must follow.

const readWholeBlocks: ChainReader = async (rpc, { chain, name, window, head, state }) => {
  const last = state as BlockRef | null;
  const range = await blocksOf(rpc, window, head);
  if (range === null)
    return { rows: [], exchanges: [], missing: [], ...(last === null ? {} : { state: last }) };
  const isNext = window.urgency === 'tip' && last !== null && range.first <= last.number + 1;
  const from = isNext ? last.number + 1 : range.first;
  if (from > range.last) return { rows: [], exchanges: [], missing: [], state: last };
  const reading = await readBlocks(rpc, {
    from,
    to: range.last,
    before: isNext ? last : null,
    withTraces: chain.traces ?? false,
  });
  const { number, hash } = reading.last;
  return {
    rows: named(blockRows(name, reading.exchanges)),
    exchanges: reading.exchanges,
    missing: [],
    state: window.urgency === 'tip' ? { number, hash } : last,
  };
};

/** A reader that caches lists of contracts. */
export function openChainReader(): Reader {
  const directory = new Directory();
  return async function* (source, window, tools, earlier) {
    const chain = source.request?.chain;
    if (source.request === null || chain === undefined)
      throw new Error(`Source ${source.id} reads no chain.`);
    const read = CHAIN_READINGS_BY_NAME[chain.read];
    const state = await earlier.state();
    const name = source.facts.chain ?? String(chain.id);
    const historyS = source.window?.history_s ?? 0;
    const mappings = [source.mapping, ...source.other_mappings];
    const listed = directory.contractsOf(chain, { urgency: window.urgency, tools });
    const { now } = tools;
    const { reading, url, head } = await fromNode({ source, window, tools, chain }, (rpc, top) =>
      read(rpc, { chain, name, window, historyS, head: top, state, mappings, listed, now }),
    );
    const origin = { url, time: head.timestamp };
    if (reading.exchanges.length > 0) yield evidencePage(reading.exchanges, origin);
    const { number, hash, timestamp } = head;
    const block = { chain: String(chain.id), number, hash, tag: chain.head ?? 'finalized' };
    const end = Math.min(timestamp, window.to);
    yield {
      ...rowsPage(reading.rows, { ...origin, block }),
      read_to: source.window === null ? end : Math.max(window.from, end),
      missing: reading.missing,
      ...(reading.state === undefined ? {} : { state: reading.state }),
    };
    const missing = reading.missing.map(({ subject, reason }) => `${subject}: ${reason}`);
    return missing.length === 0
      ? `block ${head.number}`
      : `block ${head.number}; without ${missing.slice(0, MAX_NAMED).join(', ')}`;
  };
}

const MAX_NAMED = 20;

interface Task {
  readonly source: LiveSource;
  readonly window: Window;
  readonly tools: ReaderTools;
  readonly chain: ChainSection;
}

/** @throws NetFault */
async function fromNode(
  { source, window, tools, chain }: Task,
  read: (rpc: Rpc, head: Header) => Promise<ChainReading>,
) {
  const calls = {
    client: tools.client,
    secrets: tools.secrets,
    urgency: window.urgency,
    timeoutMs: source.timeout_ms,
    size: tools.size,
  };
  const { url: first = '', headers = {} } = source.request ?? {};
  const urls = [first, ...(chain.nodes ?? [])];
  const endpoints = urls.map((url) => ({
    name: URL.canParse(url) ? new URL(url).host : url,
    url,
    // A header may hold the key of one provider, which is no business of the other nodes.
    rpc: chainRpc(url, { ...calls, headers: hasOriginOf(first, url) ? headers : {} }),
  }));
  try {
    const { value } = await withEndpoints(endpoints, chain.id, async ({ rpc, name }) => {
      const top = await readTop(rpc, { source, window }, chain);
      const reading = await read(rpc, top);
      return {
        head: top,
        url: endpoints.find((one) => one.name === name)?.url ?? '',
        reading,
      };
    });
    return value;
  } catch (error) {
    throw netFaultOf(error as ChainFault);
  }
}

const hasOriginOf = (first: string, url: string): boolean =>
  url === first ||
  (URL.canParse(first) && URL.canParse(url) && new URL(first).origin === new URL(url).origin);

/**
 * Final blocks are never replaced, so a node whose final head is older than what has been read is behind; near the newest block it may be
 * right. A window of the past must yield something, because it would otherwise be planned again immediately.
 */
async function readTop(
  rpc: Rpc,
  { source, window }: Pick<Task, 'source' | 'window'>,
  { head = 'finalized' }: ChainSection,
): Promise<Header> {
  const isPast = window.urgency === 'history';
  if (head === 'latest' && !isPast) return readHead(rpc, { confirmations: 0 });
  const tag = head === 'latest' ? 'finalized' : head;
  const top = await readHead(rpc, tag);
  const isBehind = isPast ? top.timestamp <= window.from : top.timestamp < window.from;
  if (source.window !== null && isBehind)
    throw new ChainFault('ahead', `its ${tag} block ${top.number} is older than the blocks to read.`);
  return top;
}

/** The kinds of readings of a chain, by name. Each requests data from a node and decodes rows of raw tables from the responses. */
const CHAIN_READINGS_BY_NAME: { readonly [K in (typeof CHAIN_READINGS)[number]]: ChainReader } = {
  feed_rounds: readFeedRounds,
  feed_bounds: readFeedBounds,
  vault_logs: (rpc, task) => (task.chain.head === 'latest' ? followVaultLogs : readVaultLogs)(rpc, task),
  governor_logs: readGovernorLogs,
  swaps: readSwaps,
  morpho_markets: readMorphoMarkets,
  aave_markets: readAaveMarkets,
  vault_states: readVaultStateRows,
  oracle_paths: readOraclePathRows,
  aave_oracles: readAaveOracleRows,
  blocks: readWholeBlocks,
};

// Several nodes of one chain: the operator's own first, then public ones. A reading uses one node from its head to its last row, because
// the head of one node and the rows of another may not match. A chain counts as rewritten only if no node still has it as it was read.

export interface Endpoint {
  /** Shown to operators; without credentials. */
  readonly name: string;
  readonly rpc: Rpc;
}

interface SkippedNode {
  readonly endpoint: string;
  readonly why: string;
}

/**
 * The first reading that succeeds, with the nodes that were passed over before it. Checks the chain of each node first.
 * @throws ChainFault that names every node and its reason
 */
export async function withEndpoints<T>(
  endpoints: readonly Endpoint[],
  chainId: number,
  read: (endpoint: Endpoint) => Promise<T>,
): Promise<{ readonly value: T; readonly passed: readonly SkippedNode[] }> {
  const passed: SkippedNode[] = [];
  let rewritten: ChainFault | null = null;
  for (const endpoint of endpoints) {
    try {
      await checkChain(endpoint.rpc, chainId);
      return { value: await read(endpoint), passed };
    } catch (error) {
      if (error instanceof ChainFault && error.kind === 'rewritten') rewritten = error;
      passed.push({ endpoint: endpoint.name, why: error instanceof Error ? error.message : String(error) });
    }
  }
  if (rewritten !== null) throw rewritten;
  const reasons = passed.map(({ endpoint, why }) => `${endpoint}: ${why}`).join(' ');
  throw new ChainFault('refused', `no node of chain ${chainId} could be read. ${reasons}`);
}

async function checkChain(rpc: Rpc, chainId: number): Promise<void> {
  const { result } = await rpc('eth_chainId', []);
  const found = numberOf(result, 'the chain id');
  if (found !== chainId)
    throw new ChainFault('wrong_chain', `it is a node of chain ${found}, not of ${chainId}.`);
}
