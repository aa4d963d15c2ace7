// What publishing costs over the bare minimum: 20,000 documents with 1 % changed, against one write and fsync of the same bytes.
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DocumentInput, encodeDataset, writeDocument } from '../../snapshots/dataset-file.ts';
import type { Document } from '../../snapshots/layout.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { dataset, publication } from '../snapshots/support/world.ts';
import { inFolder } from '../support/in-folder.ts';
import { type BenchReport, median } from './report.ts';

const DOCUMENTS = 20_000;
const CHANGED = 200;
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 9);

export async function bench(folder = tmpdir()): Promise<BenchReport> {
  await mkdir(folder, { recursive: true });
  const dir = await mkdtemp(join(folder, 'bench-publish-'));
  try {
    return await measure(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function measure(dir: string): Promise<BenchReport> {
  const values: Document[] = Array.from({ length: DOCUMENTS }, (_, i) => feedDocument(i, 0));
  const written: DocumentInput[] = values.map(({ key, value }) => writeDocument(key, value));
  const times: Record<string, number[]> = { packed: [], reused: [], values: [], unchanged: [] };
  for (let round = 1; round <= ROUNDS; round++) {
    const packed = Buffer.concat(encodeDataset('feeds', values).chunks);
    times['packed']?.push(await timed(() => writePacked(join(dir, 'packed.bin'), packed)));
    const changes = changedDocuments(round);
    const reused = await timed(() => {
      for (const { index, document } of changes) written[index] = writeDocument(document.key, document.value);
      return publish(join(dir, 'reused'), round, written);
    });
    times['reused']?.push(reused);
    for (const { index, document } of changes) values[index] = document;
    times['values']?.push(await timed(() => publish(join(dir, 'values'), round, values)));
    times['unchanged']?.push(await timed(() => publish(join(dir, 'reused'), round, written)));
  }
  return summary(times, encodeDataset('feeds', values).bytes);
}

function summary(times: Record<string, number[]>, bytes: number): BenchReport {
  const figures: Record<string, number> = { documents: DOCUMENTS, changed: CHANGED, bytes };
  for (const [name, list] of Object.entries(times)) figures[`${name}_ms`] = median(list);
  const ratio = (name: string) => median(pairwise(times[name] ?? [], times['packed'] ?? []));
  return {
    name: 'publish',
    figures,
    ratios: [
      { label: 'P10 publish with kept lines / packed write and fsync', value: ratio('reused'), goal: '≤ 2' },
      { label: 'P10 publish from values / packed write and fsync', value: ratio('values'), goal: '≤ 2' },
      {
        label: 'P10 publish of an unchanged dataset / packed write and fsync',
        value: ratio('unchanged'),
        goal: '≤ 2',
      },
    ],
  };
}

const feedDocument = (i: number, round: number): Document => ({
  key: `oracle_feed:ethereum/0x${i.toString(16).padStart(40, '0')}`,
  value: {
    subject_id: `oracle_feed:ethereum:0x${i.toString(16).padStart(40, '0')}`,
    provider: 'chainlink',
    pair: `ASSET${i}-USD`,
    chain: 'ethereum',
    category: 'low',
    asset_class: 'crypto',
    completeness_pct: 99.5 + (i % 50) / 100,
    last_price: `${1000 + i}.${round}5`,
    last_round_id: `${18446744073709552000 + i}`,
    last_updated_at: '2026-01-31T09:00:00Z',
    heartbeat_seconds: 3600,
    deviation_bps: 50,
    status: 'fresh',
    gaps: [
      { kind: 'missing', from: '2026-01-30T09:00:00Z', to: '2026-01-30T10:00:00Z', seconds: 3600 },
      { kind: 'late', from: '2026-01-30T19:00:00Z', to: '2026-01-30T19:10:00Z', seconds: 600 },
    ],
  },
});

const changedDocuments = (round: number) =>
  Array.from({ length: CHANGED }, (_, i) => {
    const index = (i * (DOCUMENTS / CHANGED) + round) % DOCUMENTS;
    return { index, document: feedDocument(index, round) };
  });

const publish = (dir: string, round: number, documents: readonly DocumentInput[]) =>
  publishVersion(inFolder(dir), publication(round, { datasets: [{ ...dataset('feeds', {}), documents }] }));

async function writePacked(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'w');
  await file.write(bytes);
  await file.sync();
  await file.close();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const pairwise = (a: readonly number[], b: readonly number[]) =>
  a.map((value, i) => value / (b[i] ?? Number.NaN));
