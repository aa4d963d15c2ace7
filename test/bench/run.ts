// `npm run bench -- <name>` runs test/bench/<name>.ts, prints its figures and keeps them under DATA_DIR. A missed goal is printed and
// never fails; without a name it lists the benchmarks.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { splitArguments } from '../../platform/command-line/command-line.ts';
import { loadSettings } from '../../platform/settings/load-settings.ts';
import { type BenchReport, formatReport } from './report.ts';

const FOLDER = new URL('./', import.meta.url);
const EXPORTS_BENCH = /^export (async )?(function|const) bench\b/m;

function benchmarkNames(): string[] {
  const names = readdirSync(FOLDER).flatMap((file) => /^([a-z0-9-]+)\.ts$/.exec(file)?.[1] ?? []);
  return names.filter((name) => EXPORTS_BENCH.test(readFileSync(new URL(`${name}.ts`, FOLDER), 'utf8')));
}

async function runBenchmark(name: string): Promise<BenchReport> {
  const module: { bench?: () => Promise<BenchReport> } = await import(new URL(`${name}.ts`, FOLDER).href);
  if (module.bench === undefined) throw new Error(`test/bench/${name}.ts does not export bench()`);
  return module.bench();
}

function keep(dataDir: string, report: BenchReport): string {
  const folder = join(dataDir, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const taken_at = new Date().toISOString();
  const path = join(folder, `${report.name}-${taken_at.replaceAll(':', '')}.json`);
  const machine = { cpus: cpus().length, cpu: cpus()[0]?.model ?? 'unknown', node: process.version };
  writeFileSync(path, `${JSON.stringify({ taken_at, machine, ...report }, null, 2)}\n`);
  return path;
}

const { settings: flags, operands: rest } = splitArguments(process.argv.slice(2));
const { settings } = loadSettings({
  flags,
  env: process.env,
  dotEnv: existsSync('.env') ? readFileSync('.env', 'utf8') : undefined,
  readFile: (path) => readFileSync(path, 'utf8'),
});
const known = benchmarkNames();
const wanted = rest[0] === 'all' ? known : rest;
const unknown = wanted.filter((name) => !known.includes(name));
if (wanted.length === 0 || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no benchmark ${unknown.join(', ')}.`);
  console.log(`npm run bench -- <name>, where <name> is all or one of: ${known.join(', ') || '(none yet)'}`);
  process.exitCode = unknown.length > 0 ? 2 : 0;
} else {
  for (const name of wanted) {
    const report = await runBenchmark(name);
    console.log(`${formatReport(report)}\n\nkept in ${keep(settings.data_dir, report)}\n`);
  }
}
