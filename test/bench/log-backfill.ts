// Logs backfilled from a real node, checked and turned into rows, against a bare loop of viem over the same ranges.
import { Agent } from 'undici';
import { type Address, createPublicClient, http } from 'viem';
import { readHead } from '../../jobs/sources/live/evm/block.ts';
import { chainRpc } from '../../jobs/sources/live/evm/chain-rpc.ts';
import { vaultLogRow } from '../../jobs/sources/live/evm/log-rows.ts';
import { readLogWindows } from '../../jobs/sources/live/evm/log-windows.ts';
import type { Rpc } from '../../jobs/sources/live/evm/rpc.ts';
import { ReadingMemory } from '../../jobs/sources/live/fetch/reading-size.ts';
import { DEFAULT_HOST, NetClient } from '../../jobs/sources/live/http/client.ts';
import { systemClock } from '../../jobs/sources/live/http/clock.ts';
import { undiciExchange } from '../../jobs/sources/live/http/exchange.ts';
import { NO_SECRETS } from '../../platform/base/secrets.ts';
import { type Anvil, startAnvil } from '../jobs/sources/live/evm/anvil.ts';
import { type BenchReport, median } from './report.ts';

const LOGS_IN_BLOCK = 5_000;
/** Responses of 6 MB; viem reads no more than 10 MB. */
const BLOCKS_AT_ONCE = 2;
const ROUNDS = 3;
const GOAL = 0.7;
/** Releases are measured with `BENCH_LOGS=1000000`. */
const LOGS = Number(process.env['BENCH_LOGS'] ?? 100_000);

export async function bench(): Promise<BenchReport> {
  const node = await startAnvil(['--gas-limit', '60000000']);
  try {
    const token = await node.deploy('Token', ['USD', 6]);
    for (let made = 0; made < LOGS; made += LOGS_IN_BLOCK)
      await node.send('Token', token, 'mintMany', BigInt(LOGS_IN_BLOCK));
    return await measure(node, token);
  } finally {
    await node.stop();
  }
}

async function measure(node: Anvil, token: Address): Promise<BenchReport> {
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await rowsPerSecond(() => bareLoop(node.url, token)));
    ours.push(await rowsPerSecond(() => backfill(node.url, token)));
  }
  const ratio = median(ours.map((rate, round) => rate / (bare[round] ?? Number.NaN)));
  return {
    name: 'log-backfill',
    figures: { logs: LOGS, rows_per_second: median(ours), bare_rows_per_second: median(bare) },
    ratios: [
      {
        label: 'rows a second over those of a bare loop',
        value: ratio,
        goal: `≥ ${GOAL}`,
      },
    ],
  };
}

async function rowsPerSecond(read: () => Promise<number>): Promise<number> {
  const started = performance.now();
  const rows = await read();
  if (rows !== LOGS) throw new Error(`${rows} rows of ${LOGS}`);
  return (rows / (performance.now() - started)) * 1000;
}

async function bareLoop(url: string, address: Address): Promise<number> {
  const client = createPublicClient({ transport: http(url) });
  const head = await client.getBlockNumber();
  let rows = 0;
  for (let from = 0n; from <= head; from += BigInt(BLOCKS_AT_ONCE)) {
    const last = from + BigInt(BLOCKS_AT_ONCE - 1);
    rows += (await client.getLogs({ address, fromBlock: from, toBlock: last < head ? last : head })).length;
  }
  return rows;
}

const NO_LIMITS = { max_bytes: 1e8, max_total_bytes: 1e12, max_values: 1e12 };

/** The transport that sources use, without a budget. */
function productRpc(url: string): Rpc {
  const exchange = undiciExchange(new Agent());
  const hosts = { [new URL(url).host]: { ...DEFAULT_HOST, requests_per_minute: 6_000_000 } };
  const clock = systemClock(Date.now);
  const client = new NetClient({ exchange, clock, random: Math.random, hosts, scrubber: NO_SECRETS });
  return chainRpc(url, {
    client,
    secrets: {},
    headers: {},
    urgency: 'tip',
    timeoutMs: 60_000,
    size: new ReadingMemory().open(NO_LIMITS),
  });
}

async function backfill(url: string, address: Address): Promise<number> {
  const rpc = productRpc(url);
  const head = await readHead(rpc, { confirmations: 0 });
  const sizes = { first: BLOCKS_AT_ONCE, max: BLOCKS_AT_ONCE };
  const plan = { filter: { addresses: [address], topics: [] }, from: 0, head, checkpoint: null, sizes };
  let rows = 0;
  for await (const { logs } of readLogWindows(rpc, plan)) {
    const made = logs.map((log) =>
      JSON.stringify(vaultLogRow('anvil', log, { time: log.blockTimestamp ?? 0 })),
    );
    rows += made.length;
  }
  return rows;
}
