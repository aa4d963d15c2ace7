// P3: the p99 of a coverage page of 500 with filters over 50,000 rows, against the p99 of a 15 KB document (P1), under the same load.
import { rm } from 'node:fs/promises';
import { AS_OF, coverageRow, datasetOf, fixtureDatasets, ServerFixture } from '../server/server-fixture.ts';
import { type Measured, measure, startChild } from './load.ts';
import { type BenchReport, median } from './report.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3);
const ROWS = Number(process.env['BENCH_ROWS'] ?? 50_000);
const CONNECTIONS = 64;
const DOCUMENT = '/data/oracle/bench/BIG-USD';
const PAGE = '/v2/data-manifest/coverage?scope=oracle_feed&min_completeness_pct=40&limit=500';

function datasets() {
  const rows = Array.from({ length: ROWS }, (_, n) =>
    coverageRow(
      `0x${n.toString(16).padStart(40, '0')}`,
      (n * 7_919) % 101,
      n % 3 === 0 ? 'lending_vault' : 'oracle_feed',
    ),
  );
  const text = 'x'.repeat(135);
  const week = Array.from({ length: 100 }, () => ({ text }));
  const others = fixtureDatasets(AS_OF, rows).filter(({ id }) => id !== 'oracle-parameters');
  return [...others, datasetOf('oracle-parameters', [{ key: 'bench/BIG-USD', value: week }])];
}

export async function bench(): Promise<BenchReport> {
  const fixture = await ServerFixture.create();
  await fixture.publish(datasets());
  const server = await startChild('ours', fixture.dir);
  const load = { connections: CONNECTIONS, seconds: SECONDS, expectedStatus: 200 };
  const [documents, pages]: [Measured[], Measured[]] = [[], []];
  const pageBytes = (await (await fetch(server.url + PAGE, { headers: server.headers })).arrayBuffer())
    .byteLength;
  try {
    await measure(server, { ...load, path: PAGE, seconds: 1 });
    for (let round = 0; round < ROUNDS; round++) {
      documents.push(await measure(server, { ...load, path: DOCUMENT }));
      pages.push(await measure(server, { ...load, path: PAGE }));
    }
  } finally {
    await server.stop();
    await rm(fixture.dir, { recursive: true, force: true });
  }
  const p99 = (results: readonly Measured[]) => median(results.map(({ p99Ms }) => p99Ms));
  return {
    name: 'coverage-page',
    figures: {
      rows: ROWS,
      page_bytes: pageBytes,
      document_p99_ms: p99(documents),
      page_p99_ms: p99(pages),
      page_p50_ms: median(pages.map(({ p50Ms }) => p50Ms)),
      pages_per_cpu_second: median(pages.map(({ answersPerCpuSecond }) => answersPerCpuSecond)),
    },
    ratios: [
      {
        label: "P3 page of 500 over 50,000 rows: p99 against a document's",
        value: p99(pages) / p99(documents),
        goal: '≤ 5',
      },
    ],
  };
}
