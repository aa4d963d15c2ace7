// Feeds, the catalogue and the descriptions of the data, read over HTTP by the programs that people have: feedparser, DuckDB from PyPI,
// frictionless and mlcroissant.
import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { datasetCommands } from '../../../server/web/browser/dataset-commands.ts';
import { MIRROR_CATALOGUE } from '../../../snapshots/mirror-index.ts';
import { smallDemoFolder } from '../../support/demo-folder.ts';
import { exportTo } from '../../support/exported-mirror.ts';
import { describeReaders, READERS_PYTHON } from '../../support/python-readers.ts';
import { serveFiles } from '../../support/static-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ServerFixture } from '../server-fixture.ts';

const SCRIPT = fileURLToPath(new URL('../../support/read-files.py', import.meta.url));
const run = promisify(execFile);
/** Debian has it as r-base-core; without it, only the text of its command is looked at. */
const hasR = spawnSync('Rscript', ['--version']).error === undefined;
const HARD = 'USD0++ a_b*c[d] <b>&"\' \u202eקאפ\u0007\u0000';

/** Where the readers cache and install. */
let home: string;
beforeAll(() => {
  home = temporaryFolder('readers');
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** The servers under test answer in this process, so the reader must not block it. */
async function read<T>(...args: readonly string[]): Promise<T> {
  const env = { ...process.env, HOME: home };
  const { stdout } = await run(READERS_PYTHON, [SCRIPT, ...args], { maxBuffer: 1 << 26, env });
  return JSON.parse(stdout) as T;
}

interface Description {
  readonly resources: readonly { readonly name: string; readonly rows?: number }[];
}

interface ReadFeed {
  readonly bozo: boolean;
  readonly version: string;
  readonly again: number;
  readonly entries: readonly {
    readonly id: string;
    readonly title: string;
    readonly link: string;
    readonly tags: readonly string[];
    readonly content: readonly string[];
  }[];
}

describeReaders('a feed, by feedparser', () => {
  test('is well-formed whatever it contains, has stable ids, and is not sent again', async () => {
    const fixture = await ServerFixture.create();
    const peg = { asset_symbol: HARD, chain: 'ethereum', deviation_bps: -310, effective_enter_bps: 100 };
    const [text = '{}'] = await fixture.append(
      [
        {
          key: 'one',
          envelope: {
            type: 'peg.depeg.start',
            severity: 'high',
            chain: 'ethereum',
            subject_id: `peg:ethereum:${HARD}`,
            ts: '2026-03-01T11:00:00Z',
            data: peg,
            meta: { _agentic: { freshness: { status: 'fresh' } } },
          },
        },
      ],
      Date.parse('2026-03-01T11:00:00Z'),
    );
    const { event_id } = JSON.parse(text) as { event_id: string };
    await fixture.publish();
    const { url } = await fixture.serve({ anonymousPlan: null, docsUrl: '' });
    const feed = await read<ReadFeed>('feed', `${url}/feeds/events.atom`);
    expect(feed).toMatchObject({ bozo: false, version: 'atom10', again: 304 });
    expect(feed.entries).toMatchObject([
      {
        id: `urn:ulid:${event_id}`,
        title: 'High: USD0++ a_b*c[d] <b>&"\' קאפ on ethereum, peg depeg start',
        link: `${url}/v2/events/${event_id}/evidence?as_of=2026-03-01T12%3A00%3A00Z`,
        tags: ['high', 'peg.depeg.start', 'ethereum'],
      },
    ]);
    expect(feed.entries[0]?.content[0]).toContain('−310 bps');
    expect(feed.entries[0]?.content[0]).not.toContain('<b>');
    await fixture.remove();
  });
});

describeReaders('a mirror', () => {
  let folder: string;
  let out: string;
  let files: Awaited<ReturnType<typeof serveFiles>>;
  beforeAll(async () => {
    folder = await smallDemoFolder();
    out = temporaryFolder('mirror');
    files = await serveFiles(out);
    await exportTo(out, { folder, url: files.url, plan: 'custom' });
  }, 120_000);
  afterAll(async () => {
    await files.stop();
    await rm(out, { recursive: true });
  });

  test('is described correctly, by frictionless', async () => {
    const { problems, resources } = await read<{ problems: string[]; resources: number }>(
      'datapackage',
      join(out, 'datapackage.json'),
    );
    expect(problems).toEqual([]);
    expect(resources).toBeGreaterThan(20);
  });

  test('is described correctly, and its records can be read, by mlcroissant', async () => {
    const { problems, warnings, records } = await read<{
      problems: string;
      warnings: string[];
      records: Record<string, number>;
    }>('croissant', join(out, 'croissant.json'));
    expect([problems, warnings]).toEqual(['', []]);
    const description = JSON.parse(readFileSync(join(out, 'datapackage.json'), 'utf8')) as Description;
    const rows = description.resources.flatMap(({ name, rows: count }) =>
      count === undefined ? [] : [[name, count]],
    );
    expect(records).toEqual(Object.fromEntries(rows));
  });

  test('is attached by DuckDB from PyPI, newest and pinned, with descriptions', async () => {
    const address = `${files.url}/${MIRROR_CATALOGUE}`;
    const [versions = []] = await read<[string, string][][]>(
      'catalogue',
      address,
      'select version, schema_name from risk.mirror.versions',
    );
    const [[version = '', schema = ''] = []] = versions;
    const answers = await read<unknown[][]>(
      'catalogue',
      address,
      "select view_name, (select count(*) from risk.pegs) from risk.mirror.datasets where dataset = 'pegs'",
      `select count(*) > 0 from risk.${schema}.lending_markets`,
      "select comment from duckdb_columns() where database_name = 'risk' and table_name = 'pegs' and column_name = 'deviation_bps' and comment is not null",
    );
    const pegs = (await (await fetch(`${files.url}/v2/datasets/pegs.json`)).json()) as { data: unknown[] };
    expect(answers).toEqual([
      [['pegs', pegs.data.length]],
      [[true]],
      [['Distance from the reference, basis points; negative below it. Unit: basis points']],
    ]);
    expect(version).toHaveLength(26);
  });

  test('names the version in the error of a catalogue whose files are no longer in it', async () => {
    copyFileSync(join(out, MIRROR_CATALOGUE), join(out, 'earlier.duckdb'));
    const [versions = []] = await read<[string][][]>(
      'catalogue',
      `${files.url}/${MIRROR_CATALOGUE}`,
      'select version from risk.mirror.versions',
    );
    const [[version = ''] = []] = versions;
    await rm(join(out, 'parquet/pegs'), { recursive: true });
    const [answer] = await read<string[]>('catalogue', `${files.url}/earlier.duckdb`, 'from risk.pegs');
    expect(answer).toMatch(new RegExp(`parquet/pegs/[0-9a-f]{64}.parquet\\?version=${version}' \\(HTTP 404`));
    expect(await read<string>('attach', `${files.url}/none.duckdb`)).toContain('none.duckdb');
  });
});

describeReaders('the commands of the page of a dataset', () => {
  let served: ServerFixture;
  let url: string;
  let key: string;
  beforeAll(async () => {
    served = new ServerFixture(join(await smallDemoFolder(), 'snapshots'));
    key = await served.key('enterprise');
    ({ url } = await served.serve({ anonymousPlan: null }));
  }, 120_000);
  afterAll(() => served.remove());

  test.each([
    ['pegs', false],
    ['oracle-pairs', true],
  ])('read %s, with a key: %s', async (id, needsKey) => {
    const headers = needsKey ? { authorization: `Bearer ${key}` } : {};
    const answer = await fetch(`${url}/v2/datasets/${id}.json`, { headers });
    const { length } = ((await answer.json()) as { data: readonly unknown[] }).data;
    expect(length).toBeGreaterThan(0);
    const commands = datasetCommands({ id, needsKey, url: (form) => `${url}/v2/datasets/${id}.${form}` });
    const { DuckDB = '', pandas = '', polars = '', curl = '', R = '', Sheets } = Object.fromEntries(commands);
    expect(await read('sql', DuckDB.replace('rk_live_…', key))).toBe(length);
    expect(await read('evaluate', key, pandas)).toBe(length);
    expect(await read('evaluate', key, polars)).toBe(length);
    await run('bash', ['-c', curl], { cwd: home, env: { ...process.env, KEY: key } });
    expect(
      readFileSync(join(home, `${id}.parquet`))
        .subarray(0, 4)
        .toString(),
    ).toBe('PAR1');
    if (hasR) {
      const program = `KEY <- Sys.getenv("KEY"); cat(nrow(${R}))`;
      const { stdout } = await run('Rscript', ['-e', program], { env: { ...process.env, KEY: key } });
      expect(Number(stdout)).toBe(length);
    } else expect(R).toContain(`${url}/v2/datasets/${id}.csv`);
    // A spreadsheet fetches the address from elsewhere, without a key and as CSV.
    expect(Sheets === undefined).toBe(needsKey);
    if (Sheets === undefined) return;
    const address = /^=IMPORTDATA\("([^"]+)"\)$/.exec(Sheets)?.[1] ?? '';
    const fetched = await fetch(address, { headers: { accept: '*/*' } });
    expect([fetched.status, fetched.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/csv/),
    ]);
    expect((await fetched.text()).trimEnd().split(/\r?\n/).length).toBeGreaterThan(length);
  });
});
