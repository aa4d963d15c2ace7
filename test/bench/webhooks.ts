// P5: deliveries per CPU-second of the sending process, 600 bytes each and 200 in flight, against a load generator on the same HTTP client
// that signs nothing and sends the same headers and bytes every time. Sides take turns in processes of their own; medians of the rounds
// are compared. BENCH_ROUNDS and BENCH_ANSWERS set their number and length.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type BenchReport, median } from './report.ts';
import type { SendResult, SendTask } from './webhook-child.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7);
const REQUESTS = Number(process.env['BENCH_ANSWERS'] ?? 10_000);
const IN_FLIGHT = 200;
const KINDS = ['plain', 'signed', 'durable'] as const;

const CHILD = new URL('./webhook-child.ts', import.meta.url);

async function startReceiver(): Promise<{ url: string; child: ChildProcess }> {
  const child = fork(CHILD, ['receiver']);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { url: `http://127.0.0.1:${port}/hook`, child };
}

/** One process per side, kept warm from round to round. */
async function startSender(): Promise<ChildProcess> {
  const child = fork(CHILD, ['sender']);
  await once(child, 'message');
  return child;
}

async function run(child: ChildProcess, task: SendTask): Promise<SendResult> {
  const answer = once(child, 'message');
  child.send(task);
  return (await answer)[0] as SendResult;
}

type Rates = Record<(typeof KINDS)[number], number[]>;

async function measure(url: string, senders: Readonly<Record<string, ChildProcess>>): Promise<Rates> {
  const rates: Rates = { plain: [], signed: [], durable: [] };
  for (let round = -1; round < ROUNDS; round++) {
    for (const kind of round % 2 === 0 ? KINDS : KINDS.toReversed()) {
      const child = senders[kind];
      if (child === undefined) throw new Error(`${kind} was not started.`);
      const { cpu_seconds } = await run(child, { kind, url, requests: REQUESTS, inFlight: IN_FLIGHT });
      // The first round warms up.
      if (round >= 0) rates[kind].push(REQUESTS / cpu_seconds);
    }
  }
  return rates;
}

export async function bench(): Promise<BenchReport> {
  const receiver = await startReceiver();
  const started = await Promise.all(KINDS.map(async (kind) => [kind, await startSender()] as const));
  try {
    const rates = await measure(receiver.url, Object.fromEntries(started));
    const ratio = (kind: 'signed' | 'durable') =>
      median(rates[kind].map((rate, round) => rate / (rates.plain[round] ?? Number.NaN)));
    return {
      name: 'webhooks',
      figures: {
        in_flight: IN_FLIGHT,
        unsigned_requests_per_cpu_second: median(rates.plain),
        signed_deliveries_per_cpu_second: median(rates.signed),
        durable_deliveries_per_cpu_second: median(rates.durable),
      },
      ratios: [
        {
          label: 'P5 sign and send against an unsigned load generator',
          value: ratio('signed'),
          goal: '≥ 0.80',
        },
        { label: 'P5 with the durable record', value: ratio('durable'), goal: '≥ 0.65' },
      ],
    };
  } finally {
    for (const child of [receiver.child, ...started.map(([, child]) => child)]) child.disconnect();
  }
}
