// How fast vaults are served: the largest page of a list of a thousand against nginx with the same bytes, and the history of a vault over a year against that of
// a lending market.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { LIMITS } from '../../schemas/plans.ts';
import { DAY_S, HOUR_S } from '../../platform/base/time.ts';
import { type Child, type Measured, measure, startChild } from './load.ts';
import { startNginx } from './nginx.ts';
import { type BenchRatio, type BenchReport, median } from './report.ts';
import type { VaultWorld } from './vault-rows.ts';
import { MARKETS, openVaultPipeline, VAULTS } from './vault-world.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7);
const PAGES = { connections: 8, answers: Number(process.env['BENCH_ANSWERS'] ?? 400) };
/** Of a year of hours, which takes far longer than a page. */
const HISTORIES = { connections: 2, answers: PAGES.answers / 10 };
const DAYS = 365;
const PAGE = LIMITS.list_page.max;
/** Those of which histories are read. */
const FEW = 4;

/** End of the addresses of the first vault and the first market. */
const FIRST = createHash('md5').update('0').digest('hex');

type BenchPart = Pick<BenchReport, 'figures' | 'ratios'>;
type Answering = Pick<Child, 'url' | 'usage' | 'headers'>;

export async function measureServing(world: VaultWorld): Promise<BenchPart> {
  const [list, history] = [await measureList(world), await measureHistory(world)];
  return { figures: { ...list.figures, ...history.figures }, ratios: [...list.ratios, ...history.ratios] };
}

async function measureList(world: VaultWorld): Promise<BenchPart> {
  const opened_at = world.from + HOUR_S;
  const pipeline = await openVaultPipeline(world, [...MARKETS, ...VAULTS], { step: HOUR_S, opened_at });
  await pipeline.runTo(opened_at);
  const ours = await startChild('ours', join(pipeline.dir, 'snapshots'));
  const path = `/v2/vaults?limit=${PAGE}`;
  try {
    const body = await bodyOf(ours, path);
    const nginx = await startNginx('/vaults.json', body);
    if (nginx === undefined)
      return { figures: { list_bytes: body.length, nginx: 'not installed' }, ratios: [] };
    try {
      const [own, other] = await inTurn(PAGES, [ours, path], [nginx, '/vaults.json']);
      return {
        figures: { list_bytes: body.length, list_p99_ms: p99(own), nginx_p99_ms: p99(other) },
        ratios: [
          ratioOf(`p99 of a page of ${PAGE} of ${world.vaults} vaults against nginx`, '≤ 3', [own, other]),
        ],
      };
    } finally {
      await nginx.stop();
    }
  } finally {
    await ours.stop();
    await pipeline.close();
  }
}

async function measureHistory(world: VaultWorld): Promise<BenchPart> {
  const few = { ...world, vaults: FEW, markets: world.positions };
  const end = world.from + DAYS * DAY_S;
  const pipeline = await openVaultPipeline(few, [...MARKETS, ...VAULTS], { step: HOUR_S, opened_at: end });
  await pipeline.runTo(end);
  const ours = await startChild('ours', join(pipeline.dir, 'snapshots'));
  try {
    const year = `history?from=${world.from}&to=${end}&resolution=1h`;
    const vault = `/v2/vaults/ethereum/0xaaaaaaaa${FIRST}/${year}`;
    const market = `/v2/lending/markets/ethereum/0xbbbbbbbb${FIRST}/${year}`;
    const bytes = [(await bodyOf(ours, vault)).length, (await bodyOf(ours, market)).length];
    const [own, other] = await inTurn(HISTORIES, [ours, vault], [ours, market]);
    return {
      figures: {
        vault_history_bytes: bytes[0] ?? 0,
        market_history_bytes: bytes[1] ?? 0,
        vault_history_p99_ms: p99(own),
        market_history_p99_ms: p99(other),
      },
      ratios: [
        ratioOf('p99 of the history of a vault over a year against that of a market', '≤ 1', [own, other]),
      ],
    };
  } finally {
    await ours.stop();
    await pipeline.close();
  }
}

type Side = readonly [child: Answering, path: string];

async function inTurn(
  load: typeof PAGES,
  own: Side,
  other: Side,
): Promise<readonly [readonly Measured[], readonly Measured[]]> {
  const results: readonly [Measured[], Measured[]] = [[], []];
  for (const [child, path] of [own, other]) await measure(child, { ...load, path, expectedStatus: 200 });
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, [child, path]] of [own, other].entries())
      results[index]?.push(await measure(child, { ...load, path, expectedStatus: 200 }));
  return results;
}

async function bodyOf({ url, headers }: Answering, path: string): Promise<Buffer> {
  const answer = await fetch(url + path, { headers: { ...headers, 'Accept-Encoding': 'identity' } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return Buffer.from(await answer.arrayBuffer());
}

const p99 = (results: readonly Measured[]) => median(results.map(({ p99Ms }) => p99Ms));

const ratioOf = (
  label: string,
  goal: string,
  [own, other]: readonly [readonly Measured[], readonly Measured[]],
): BenchRatio => ({ label, value: p99(own) / p99(other), goal });
