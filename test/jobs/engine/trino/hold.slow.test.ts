// One process has the warehouse on Trino. A later leader takes it from a leader that hangs with its connections open, and whatever that
// leader still writes when it continues is refused.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { WarehouseBusyError, WarehouseLostError } from '../../../../jobs/engine/errors.ts';
import { type Database, openDatabase } from '../../../../jobs/engine/trino/database.ts';
import { type Hold, holdWarehouse, type LeaderTerm } from '../../../../jobs/engine/trino/hold.ts';
import { forgetTrinoWarehouse } from '../../../../jobs/engine/trino/open.ts';
import { type Cluster, postgresPrograms, startCluster } from '../../../support/postgres-cluster.ts';

const CHILD = fileURLToPath(new URL('./hold-child.ts', import.meta.url));
const ROUNDS = 3;

const termOf = (number: number, installation = 'one'): LeaderTerm => ({ installation, number });

const isMissing = postgresPrograms() === undefined;

let cluster: Cluster;
let term = 100;
const open: { end(): Promise<void> }[] = [];
beforeAll(async () => {
  if (isMissing) return;
  const started = await startCluster([]);
  if (started === undefined) throw new Error('PostgreSQL is not installed.');
  cluster = started;
});
afterAll(() => cluster?.stop());
beforeEach(() => {
  term += 10;
});
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.end();
});

async function databaseOf(mark: LeaderTerm | null, url = cluster.url): Promise<Database> {
  const database = await openDatabase(url, mark);
  open.push({ end: () => database.close() });
  return database;
}

async function hold(mark: LeaderTerm | null, url = cluster.url): Promise<Hold> {
  await databaseOf(mark, url);
  const held = await holdWarehouse(url, mark);
  open.push(held);
  return held;
}

/** A warehouse of its own in the same cluster. */
async function anotherWarehouse(name: string): Promise<string> {
  const database = await databaseOf(null);
  await database.query(`create database ${name}`);
  return cluster.url.replace(/[^/]*$/, name);
}

const written = async (database: Database, number: number) => {
  const rows = await database.query(
    `select (select count(*) from absorbed where model = $1) as files, (select count(*) from bound where name like $2) as rows`,
    [`term ${number}`, `term ${number} %`],
  );
  return rows[0];
};

test.skipIf(isMissing).each(['statements', 'transactions'])(
  'the warehouse is taken from a leader that hangs in %s, which changes nothing when it continues',
  async (kind) => {
    const watch = await databaseOf(null);
    for (let round = 0; round < ROUNDS; round++) {
      const [earlier, later] = [term, term + 1];
      term += 2;
      const child = spawn(process.execPath, [CHILD, cluster.url, String(earlier), kind]);
      try {
        const said = linesOf(child);
        await said.until(/has it/);
        await until(async () => Number((await written(watch, earlier))?.['files']) > 3);
        child.kill('SIGSTOP');
        const held = await hold(termOf(later));
        const database = await databaseOf(termOf(later));
        const before = await written(database, earlier);
        child.kill('SIGCONT');
        expect(await said.ended).toBe(3);
        expect(said.text()).toContain(`term ${earlier} of this process is over`);
        expect(await written(database, earlier)).toEqual(before);
        await database.query(`insert into absorbed (model, file) values ('later', $1)`, [`${later}`]);
        await held.end();
      } finally {
        child.kill('SIGKILL');
      }
    }
  },
  120_000,
);

test.skipIf(isMissing)(
  'the warehouse is refused to a second process without terms, and free after the first process has ended',
  async () => {
    const first = await hold(null);
    await expect(hold(null)).rejects.toThrow(WarehouseBusyError);
    await first.end();
    await hold(null);
  },
);

test.skipIf(isMissing)('the warehouse is refused to an earlier term, whoever has it', async () => {
  const first = await hold(termOf(term));
  await expect(hold(termOf(term - 1))).rejects.toThrow(WarehouseLostError);
  await first.end();
  await expect(hold(termOf(term - 1))).rejects.toThrow(`term ${term - 1} of this process is over`);
  await hold(termOf(term));
});

test.skipIf(isMissing)(
  'the warehouse is not taken from hosts of another installation, nor from a process without terms',
  async () => {
    const marks = { of_another: termOf(term + 5, 'two'), without_terms: null };
    await Promise.all(
      Object.entries(marks).map(async ([name, mark]) => {
        const url = await anotherWarehouse(name);
        const first = await hold(mark, url);
        await expect(hold(termOf(term + 6), url)).rejects.toThrow(WarehouseBusyError);
        await first.end();
        await hold(termOf(term), url);
      }),
    );
  },
  60_000,
);

test.skipIf(isMissing)('only a process that may have the warehouse can empty it', async () => {
  const first = await hold(termOf(term));
  const database = await databaseOf(termOf(term));
  const models = async () => (await database.query('select name from model')).length;
  await database.query(`insert into model values ('obs.reading', 'hash', '[]')`);
  for (const mark of [termOf(term - 1), null])
    await expect(forgetTrinoWarehouse(cluster.url, mark)).rejects.toThrow(
      mark === null ? WarehouseBusyError : WarehouseLostError,
    );
  expect(await models()).toBe(1);
  await first.end();
  await forgetTrinoWarehouse(cluster.url, termOf(term + 1));
  const watch = await databaseOf(null);
  expect(await watch.query('select name from model')).toEqual([]);
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + 30_000; performance.now() < deadline; ) if (await isSo()) return;
  throw new Error('it did not happen');
}

function linesOf(child: ChildProcess) {
  let text = '';
  child.stdout?.on('data', (data) => {
    text += String(data);
  });
  child.stderr?.on('data', (data) => {
    text += String(data);
  });
  return {
    text: () => text,
    ended: once(child, 'exit').then(([code]) => code as number | null),
    until: (pattern: RegExp) =>
      until(async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return pattern.test(text);
      }),
  };
}
