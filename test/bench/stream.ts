// P4: frames of 600 bytes to 1,000 and 5,000 clients, by the hub and by bare writes to bare sockets, turn by turn in one run.
// P11: from the publication of an event to its arrival at a client of a running server.
import { type BenchReport, median } from './report.ts';
import { closeSide, openSide, type Speed, sendFrames } from './stream-side.ts';
import { publishedToSocketMs } from './stream-latency.ts';

/** Many short rounds, so that other load on the machine affects both sides alike. */
const ROUNDS = 10;
const WARM_UP_ROUNDS = 2;
/** Two processes that do the same work always differ by several per cent: hence several pairs, each side opened first in half of them. */
const PAIRS = 4;
const FRAMES_A_ROUND = 50_000;

type Speeds = Record<'raw' | 'hub', Speed[]>;
const ORDERS = [
  ['raw', 'hub'],
  ['hub', 'raw'],
] as const;

async function compare(count: number): Promise<Readonly<Speeds>> {
  const speeds: Speeds = { raw: [], hub: [] };
  for (let pair = 0; pair < PAIRS; pair++) await comparePair(count, ORDERS[pair % 2 === 0 ? 0 : 1], speeds);
  return speeds;
}

/** Runs both sides in turn; each goes first every other time. */
async function comparePair(
  count: number,
  [first, second]: (typeof ORDERS)[number],
  speeds: Speeds,
): Promise<void> {
  const opened = [await openSide(first, count), await openSide(second, count)] as const;
  const sides = first === 'raw' ? { raw: opened[0], hub: opened[1] } : { raw: opened[1], hub: opened[0] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const kind of ORDERS[round % 2 === 0 ? 0 : 1]) {
      const speed = await sendFrames(sides[kind], { clients: count, frames: FRAMES_A_ROUND });
      if (round >= 0) speeds[kind].push(speed);
    }
  }
  await closeSide(sides.raw);
  await closeSide(sides.hub);
}

export async function bench(): Promise<BenchReport> {
  const figures: Record<string, number> = {};
  const ratios: { label: string; value: number; goal: string }[] = [];
  for (const count of [1_000, 5_000]) {
    const { raw, hub } = await compare(count);
    const middle = (speeds: readonly Speed[], name: keyof Speed) =>
      median(speeds.map((speed) => speed[name]));
    for (const name of ['framesPerSecond', 'framesPerCpuSecond'] as const) {
      const unit = name === 'framesPerSecond' ? 'second' : 'cpu_second';
      figures[`frames_per_${unit}_raw_${count}`] = middle(raw, name);
      figures[`frames_per_${unit}_stream_${count}`] = middle(hub, name);
      const pairs = hub.map((speed, round) => speed[name] / (raw[round]?.[name] ?? Number.NaN));
      ratios.push({
        label: `P4 delivered a ${unit.replace('_', ' ')}, ${count} clients, against raw writes`,
        value: median(pairs),
        goal: '≥ 0.95',
      });
    }
  }
  const latencies = (await publishedToSocketMs()).toSorted((a, b) => a - b);
  const p99Ms = latencies[Math.ceil(latencies.length * 0.99) - 1] ?? Number.NaN;
  figures['published_to_socket_ms_p50'] = median(latencies);
  figures['published_to_socket_ms_p99'] = p99Ms;
  ratios.push({ label: 'P11 published to socket, p99, of a second', value: p99Ms / 1000, goal: '≤ 1' });
  return { name: 'stream', figures, ratios };
}
