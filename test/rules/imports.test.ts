import { describe, expect, test } from 'vitest';
import { importCycles, importProblems, importsOf } from './import-rules.ts';
import { SOURCE_FOLDERS, sourceFiles } from './source-tree.ts';

const files = sourceFiles(SOURCE_FOLDERS, '.ts');
const problemsOf = (path: string, text: string) => importProblems({ path, text });

test('every import is allowed where it stands', () => {
  expect(files.flatMap(importProblems)).toEqual([]);
});

test('values are checked by one validator', () => {
  const compilers = /^(ajv|ajv-formats|typebox\/(compile|value|schema))(\/|$)/;
  const others = files
    .filter(({ path }) => !/^(test|examples)\/|^schemas\/validator\.ts$/.test(path))
    .filter((file) => importsOf(file).some((one) => !one.isTypeOnly && compilers.test(one.target)));
  expect(others.map(({ path }) => path)).toEqual([]);
});

test('no file imports itself through others', () => {
  expect(importCycles(files)).toEqual([]);
});

/** Everything that a file brings with it when it runs, our own files and packages. */
function loadedBy(path: string): ReadonlySet<string> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const found = new Set([path]);
  for (const one of found) {
    const file = byPath.get(one);
    for (const { target, isTypeOnly } of file === undefined ? [] : importsOf(file))
      if (!isTypeOnly) found.add(target);
  }
  return found;
}

test('a worker of the analytics starts without loading a package', () => {
  const loaded = [...loadedBy('server/analytics/worker.ts')];
  expect(loaded.length).toBeGreaterThan(50);
  expect(loaded.filter((target) => !/^(server|models|platform\/base|schemas)\/|^node:/.test(target))).toEqual(
    [],
  );
});

describe('the rules catch', () => {
  test.each([
    ['schemas/errors.ts', "import { readFileSync } from 'node:fs';"],
    ['schemas/errors.ts', "import type { Pointer } from '../snapshots/layout.ts';"],
    ['schemas/errors.ts', "import Ajv from 'ajv';"],
    ['snapshots/read.ts', "import { request } from 'node:http';"],
    ['snapshots/read.ts', "import pino from 'pino';"],
    ['jobs/families/lending/domain.ts', "import { feedRound } from '../oracles/raw.ts';"],
    ['jobs/families/lending/domain.ts', "import { blockAt } from '../../sources/demo/scenario/block.ts';"],
    ['jobs/sources/demo/lending.ts', "import { demoSources } from './oracles.ts';"],
    ['jobs/sources/demo/scenario/feeds.ts', "import { feedRound } from '../../../families/oracles/raw.ts';"],
    ['jobs/sources/demo/lending.ts', "import { feedRound } from '../../families/oracles/raw.ts';"],
    ['jobs/families/lending/domain.ts', "import { plan } from '../../pipeline/plan.ts';"],
    ['jobs/families/lending/domain.ts', "import type { Pointer } from '../../../snapshots/layout.ts';"],
    ['jobs/pipeline/run/compute.ts', "import { openDuckdb } from '../../engine/duckdb/duckdb.ts';"],
    ['jobs/pipeline/run/compute.ts', "import { feedRound } from '../../families/oracles/raw.ts';"],
    ['jobs/pipeline/run/compute.ts', "const api = await import('@duckdb/node-api');"],
    ['jobs/main.ts', "import { DuckDBInstance } from '@duckdb/node-api';"],
    ['jobs/main.ts', "import { createApp } from '../server/app.ts';"],
    ['jobs/main.ts', "import { spawn } from 'node:child_process';"],
    [
      'jobs/pipeline/run/run.ts',
      "import { readCommandLine } from '../../../platform/command-line/command-line.ts';",
    ],
    ['server/app.ts', "import { startProcess } from '../platform/processes/processes.ts';"],
    ['platform/command-line/help.ts', "import { readFileSync } from 'node:fs';"],
    ['platform/processes/main.ts', "import { startServer } from '../../server/app.ts';"],
    ['server/routes/oracles.ts', "import Koa from 'koa';"],
    ['server/routes/oracles.ts', "import { readFile } from 'node:fs/promises';"],
    ['server/routes/oracles.ts', "import { replay } from './replay.ts';"],
    ['server/routes/oracles.ts', "import { ReadPath } from '../http/read-path.ts';"],
    ['server/app.ts', "export { plan } from '../jobs/pipeline/run/plan.ts';"],
    ['server/app.ts', "import type { Domain } from '../jobs/define/domain.ts';"],
    ['server/app.ts', "import { publish } from '../snapshots/write.ts';"],
    ['server/app.ts', "import type { DuckDBInstance } from '@duckdb/node-api';"],
    ['server/app.ts', "type Driver = import('@duckdb/node-api').DuckDBInstance;"],
  ])('%s: %s', (path, text) => {
    expect(problemsOf(path, text)).toHaveLength(1);
  });

  test('a cycle of three files', () => {
    const file = (name: string, next: string) => ({
      path: `jobs/${name}.ts`,
      text: `import { x } from './${next}.ts';`,
    });
    expect(importCycles([file('a', 'b'), file('b', 'c'), file('c', 'a')])).toEqual([
      'jobs/a.ts -> jobs/b.ts -> jobs/c.ts -> jobs/a.ts',
    ]);
  });

  test('a cycle of types alone', () => {
    const file = (name: string, next: string) => ({
      path: `jobs/${name}.ts`,
      text: `import type { X } from './${next}.ts';`,
    });
    expect(importCycles([file('a', 'b'), file('b', 'a')])).toEqual(['jobs/a.ts -> jobs/b.ts -> jobs/a.ts']);
  });

  test('a place that no rule covers', () => {
    expect(() => problemsOf('tools/x.ts', "import 'a';")).toThrow('no import rule covers this place');
  });
});

test.each([
  ['server/routes/oracles.ts', "import type { ReadPath } from '../http/read-path.ts';"],
  [
    'jobs/families/oracles/domain.ts',
    "import { defineDataset } from '../../define/dataset.ts'; import { x } from './raw.ts';",
  ],
  ['jobs/sources/demo/lending-logs.ts', "import { blockAt } from './scenario/block.ts';"],
  ['jobs/pipeline/publish/publish.ts', "import { publish } from '../../../snapshots/write.ts';"],
])('the rules let pass %s: %s', (path, text) => {
  expect(problemsOf(path, text)).toEqual([]);
});

test('a problem names the line, the import, and what to do instead', () => {
  expect(problemsOf('server/app.ts', "\nimport { run } from '../jobs/run.ts';")).toEqual([
    'server/app.ts:2 imports jobs/run.ts: the server reads published files: never jobs/, never the database driver, ' +
      'never the writing half of snapshots/',
  ]);
});
