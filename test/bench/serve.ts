// P1 and P2: responses per CPU-second of a 15 KB document and of 304, against a bare node:http server and, when it is installed, nginx.
// Every round measures each side once, in turn; medians of the rounds are compared. The rounds are many and short, because
// a shared machine drifts. BENCH_ROUNDS and BENCH_ANSWERS set their number and length.
import { rm } from 'node:fs/promises';
import { datasetOf, fixtureDatasets, ServerFixture } from '../server/server-fixture.ts';
import { type Child, type Load, type Measured, measure, startChild } from './load.ts';
import { startNginx } from './nginx.ts';
import { type BenchRatio, type BenchReport, median } from './report.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 25);
const ANSWERS = Number(process.env['BENCH_ANSWERS'] ?? 5_000);
const CONNECTIONS = 64;
export const DOCUMENT_PATH = '/data/oracle/bench/BIG-USD';
const DOCUMENT_BYTES = 15_000;

interface Side {
  readonly child: Pick<Child, 'url' | 'usage' | 'stop' | 'headers'>;
  readonly load: Load;
  readonly results: Measured[];
}

async function publishDocument(fixture: ServerFixture): Promise<void> {
  const row = { timestamp: '2026-03-01', text: 'x'.repeat(100) };
  const rows = Array.from({ length: Math.round(DOCUMENT_BYTES / JSON.stringify(row).length) }, () => row);
  const document = { key: 'bench/BIG-USD', value: rows };
  await fixture.publish([
    ...fixtureDatasets().filter(({ id }) => id !== 'oracle-parameters'),
    datasetOf('oracle-parameters', [document]),
  ]);
}

const sideOf = (
  child: Side['child'],
  expectedStatus: number,
  headers: Record<string, string> = {},
): Side => ({
  child,
  load: { path: DOCUMENT_PATH, connections: CONNECTIONS, answers: ANSWERS, headers, expectedStatus },
  results: [],
});

const perCpuSecond = (side: Side) =>
  median(side.results.map(({ answersPerCpuSecond }) => answersPerCpuSecond));

function ratioOf(label: string, goal: string, sides: readonly [Side, Side]): BenchRatio {
  const rounds = sides[0].results.map(
    (ours, round) => ours.answersPerCpuSecond / (sides[1].results[round]?.answersPerCpuSecond ?? Number.NaN),
  );
  return { label, value: median(rounds), goal };
}

async function measureAll(sides: readonly Side[]): Promise<void> {
  for (const side of sides) await measure(side.child, { ...side.load, answers: ANSWERS * 4 });
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? sides : sides.toReversed();
    for (const side of order) side.results.push(await measure(side.child, side.load));
  }
}

interface Sides {
  readonly document: readonly [ours: Side, bare: Side];
  readonly unchanged: readonly [ours: Side, bare: Side];
  readonly nginx: Side | undefined;
}

async function measured(ours: Child, path: string): Promise<{ sides: Sides; bytes: number }> {
  const first = await fetch(ours.url + path, {
    headers: { ...ours.headers, 'Accept-Encoding': 'identity' },
  });
  const body = Buffer.from(await first.arrayBuffer());
  const bare = await startChild('bare', String(body.length));
  const nginx = await startNginx(path, body);
  const etag = first.headers.get('etag') ?? '';
  const sides: Sides = {
    document: [sideOf(ours, 200), sideOf(bare, 200)],
    unchanged: [
      sideOf(ours, 304, { 'If-None-Match': etag }),
      sideOf(bare, 304, { 'If-None-Match': '"bare"' }),
    ],
    nginx: nginx && sideOf(nginx, 200),
  };
  try {
    await measureAll([...sides.document, ...sides.unchanged, ...(sides.nginx ? [sides.nginx] : [])]);
  } finally {
    await Promise.all([bare.stop(), nginx?.stop()]);
  }
  return { sides, bytes: body.length };
}

function reportOf({ document, unchanged, nginx }: Sides, document_bytes: number): BenchReport {
  return {
    name: 'serve',
    figures: {
      document_bytes,
      connections: CONNECTIONS,
      document_answers_per_cpu_second: perCpuSecond(document[0]),
      document_p99_ms: median(document[0].results.map(({ p99Ms }) => p99Ms)),
      bare_document_answers_per_cpu_second: perCpuSecond(document[1]),
      not_modified_answers_per_cpu_second: perCpuSecond(unchanged[0]),
      bare_not_modified_answers_per_cpu_second: perCpuSecond(unchanged[1]),
      nginx_answers_per_cpu_second: nginx ? perCpuSecond(nginx) : 'not measured: nginx is not installed',
    },
    ratios: [
      ratioOf('P1 document against bare node:http', '≥ 0.95', document),
      ratioOf('P2 304 against bare node:http', '≥ 0.80', unchanged),
      ...(nginx ? [ratioOf('P1 document against nginx', '≥ 0.65', [document[0], nginx])] : []),
    ],
  };
}

/** Our server with the document; stopping it removes what it served. */
export async function startOurs(): Promise<Child> {
  const fixture = await ServerFixture.create();
  await publishDocument(fixture);
  const child = await startChild('ours', fixture.dir);
  return {
    ...child,
    async stop() {
      await child.stop();
      await rm(fixture.dir, { recursive: true, force: true });
    },
  };
}

export async function bench(): Promise<BenchReport> {
  const ours = await startOurs();
  const { sides, bytes } = await measured(ours, DOCUMENT_PATH).finally(() => ours.stop());
  return reportOf(sides, bytes);
}
