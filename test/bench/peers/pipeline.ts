// The pipeline against dbt-duckdb and sqlmesh: the same tables and lineage of the demo. A peer's model copies its table from Parquet, which is
// less than any model does; ours lands, computes, audits, judges, appends events and publishes.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { catchUp } from '../../../jobs/commands/work.ts';
import { duckDbOf } from '../../support/duckdb-of.ts';
import { openTestWorld } from '../../support/pipeline-world.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { median } from '../report.ts';
import { attempt, installPython, type PythonPrograms } from './python.ts';

const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const TICK_S = 60;
const TICKS = 5;
const PROJECT = new URL('../../../', import.meta.url).pathname;
const start = promisify(execFile);

interface Table {
  /** With its schema. */
  readonly name: string;
  readonly file: string;
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}

/** Seconds of a first run and of ticks with a minute of new data, in one process; and a copy of every table. */
async function ours(): Promise<{ first: number; tick: number; tables: readonly Table[] }> {
  const clock = { now: NOW };
  const options = {
    now: NOW,
    nowMs: () => clock.now * 1000,
    flags: ['--duckdb-threads', '2'],
    isStart: true,
  };
  const { context, close } = await openTestWorld(temporaryFolder('peers-world'), options);
  const first = await seconds(() => catchUp(context));
  const ticks: number[] = [];
  for (let tick = 0; tick < TICKS; tick++) {
    clock.now += TICK_S;
    ticks.push(await seconds(() => catchUp(context)));
  }
  const copies = temporaryFolder('peers-tables');
  const tables: Table[] = [];
  for (const { name } of context.models.models.filter(({ kind }) => kind !== 'view')) {
    const file = join(copies, `${name}.parquet`);
    await duckDbOf(context).execute(`copy ${name} to '${file}' (format parquet)`);
    tables.push({ name, file });
  }
  await close();
  return { first, tick: median(ticks), tables };
}

/** Seconds of a run in a new process, with a minute of new data. */
async function ownProcess(): Promise<number> {
  const dir = temporaryFolder('peers-process');
  const run = (at: number) =>
    start(
      process.execPath,
      [
        'jobs/main.ts',
        'run',
        '--profile',
        'demo',
        '--data-dir',
        dir,
        '--as-of',
        String(at),
        '--log-level',
        'error',
      ],
      { cwd: PROJECT, maxBuffer: 1e8 },
    );
  const now = Math.floor(Date.now() / 1000);
  await run(now - TICK_S);
  return seconds(() => run(now));
}

function writeDbt(folder: string, tables: readonly Table[]): void {
  mkdirSync(join(folder, 'models'));
  writeFileSync(
    join(folder, 'dbt_project.yml'),
    "name: peer\nversion: '1.0.0'\nprofile: peer\nmodel-paths: [models]\nmodels:\n  peer:\n    +materialized: table\nflags:\n  send_anonymous_usage_stats: false\n",
  );
  writeFileSync(
    join(folder, 'profiles.yml'),
    'peer:\n  target: peer\n  outputs:\n    peer:\n      type: duckdb\n      path: peer.duckdb\n      threads: 2\n',
  );
  for (const { name, file } of tables)
    writeFileSync(
      join(folder, 'models', `${name.replace('.', '_')}.sql`),
      `select * from read_parquet('${file}')\n`,
    );
}

function writeSqlmesh(folder: string, tables: readonly Table[]): void {
  mkdirSync(join(folder, 'models'));
  writeFileSync(
    join(folder, 'config.yaml'),
    'gateways:\n  peer:\n    connection:\n      type: duckdb\n      database: peer.duckdb\ndefault_gateway: peer\nmodel_defaults:\n  dialect: duckdb\n  start: 2026-01-01\ndisable_anonymized_analytics: true\n',
  );
  for (const { name, file } of tables)
    writeFileSync(
      join(folder, 'models', `${name.replace('.', '_')}.sql`),
      `MODEL (name peer.${name.replace('.', '_')}, kind FULL, cron '@daily');\nSELECT * FROM read_parquet('${file}')\n`,
    );
}

async function dbt(python: PythonPrograms, tables: readonly Table[]): Promise<number> {
  const cwd = temporaryFolder('peers-dbt');
  writeDbt(cwd, tables);
  const run = () =>
    start(python.path('dbt'), ['run', '--profiles-dir', '.', '--quiet'], { cwd, maxBuffer: 1e8 });
  await run();
  return seconds(run);
}

async function sqlmesh(
  python: PythonPrograms,
  tables: readonly Table[],
): Promise<{ plan: number; idle: number }> {
  const cwd = temporaryFolder('peers-sqlmesh');
  writeSqlmesh(cwd, tables);
  const run = (...args: readonly string[]) => start(python.path('sqlmesh'), args, { cwd, maxBuffer: 1e8 });
  const plan = await seconds(() => run('plan', '--auto-apply', '--no-prompts'));
  return { plan, idle: await seconds(() => run('run')) };
}

export async function comparePipeline(explain: (line: string) => void) {
  const { first, tick, tables } = await ours();
  const process_s = await ownProcess();
  const figures: Record<string, number | string> = {
    tables: tables.length,
    ours_first_run_s: first,
    ours_run_in_a_new_process_s: process_s,
    ours_tick_s: tick,
  };
  const withDbt = await installPython(['dbt-core==1.10.*', 'dbt-duckdb==1.9.*'], explain);
  if (withDbt !== null)
    Object.assign(figures, await attempt('dbt', explain, () => dbtFigures(withDbt, tables)));
  const withSqlmesh = await installPython(['sqlmesh'], explain);
  if (withSqlmesh !== null)
    Object.assign(figures, await attempt('sqlmesh', explain, () => sqlmeshFigures(withSqlmesh, tables)));
  return figures;
}

const dbtFigures = async (python: PythonPrograms, tables: readonly Table[]) => ({
  dbt: python.versions,
  dbt_run_s: await dbt(python, tables),
});

async function sqlmeshFigures(python: PythonPrograms, tables: readonly Table[]) {
  const { plan, idle } = await sqlmesh(python, tables);
  return { sqlmesh: python.versions, sqlmesh_plan_s: plan, sqlmesh_nothing_due_s: idle };
}
