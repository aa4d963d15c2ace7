// A secret never leaves the programs: one canary for each place in which a source takes one, echoed by a service in its rows and in its
// errors. Everything that the programs store, publish, print and serve is searched.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test, vi } from 'vitest';
import { json, type Reply, replayServer } from '../jobs/sources/live/http/replay-server.ts';
import { traceOf } from '../jobs/sources/live/secret-traces.ts';
import { openScratchEngine } from '../support/case-duckdb.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ProgramRuns } from './run-program.ts';

vi.setConfig({ testTimeout: 300_000 });

const NOW = Math.floor(Date.now() / 1000);
const host = 'https://api.example';
const named = (id: string) => `\${${`CANARY_${id.toUpperCase()}`}}`;
/** No two have a part in common, and none has a word in it. */
const canaryOf = (id: string) => {
  const digest = createHash('sha256').update(id).digest('base64url');
  return `${digest.slice(0, 16)}_${digest.slice(16, 32)}.${digest.slice(32)}`;
};

/** The request of a source that takes its secret in one place. */
const PLACES: { readonly [id: string]: (secret: string) => object } = {
  path: (secret) => ({ url: `${host}/path/${secret}` }),
  address: (secret) => ({ url: `${host}/address?key=${secret}` }),
  query: (secret) => ({ url: `${host}/query`, query: { key: `token ${secret}` } }),
  header: (secret) => ({ url: `${host}/header`, headers: { authorization: `Bearer ${secret}` } }),
  password: (secret) => ({ url: `https://me:${secret}@api.example/password` }),
  body: (secret) => ({ url: `${host}/body`, json: { key: secret } }),
  graphql: (secret) => ({
    url: `${host}/graphql`,
    graphql: { query: '{ rows }', variables: { key: secret } },
  }),
  rpc: (secret) => ({ url: `${host}/rpc`, json_rpc: { method: 'rows', params: [secret] } }),
  near: (secret) => ({ url: `${host}/near`, headers: { 'x-key': secret }, near: { read: 'block' } }),
  chain: (secret) => ({
    url: `${host}/chain/${secret}`,
    chain: { id: 1, read: 'feed_bounds', contracts: [`0x${'a'.repeat(40)}`] },
  }),
  failing: (secret) => ({ url: `${host}/failing`, headers: { 'x-key': secret } }),
};
const IDS = Object.keys(PLACES);

const RECORDS: { readonly [id: string]: string } = { graphql: 'data.rows', rpc: 'result' };

/** The canary in the value of a row that lands, in one that is refused, or in an error. */
function reply(id: string): Reply {
  const canary = canaryOf(id);
  const rows = [
    { at: NOW - 600, usd: '5', name: `p-${canary}` },
    { at: NOW - 600, usd: `no amount but ${canary}`, name: 'q' },
  ];
  if (id === 'failing') return { ...json({ error: `the key ${canary} is not known` }), status: 403 };
  if (id === 'graphql') return json({ data: { rows } });
  if (id === 'rpc') return json({ jsonrpc: '2.0', id: 1, result: rows });
  if (id === 'near' || id === 'chain')
    return json({ jsonrpc: '2.0', id: 1, error: { code: -32_000, message: `bad key ${canary}` } });
  return json(rows);
}

const server = await replayServer(({ path }) => reply(/^\/(\w+)/.exec(path)?.[1] ?? ''));
afterAll(() => server.close());
const dir = temporaryFolder('secrets');

const sourceOf = (id: string) => ({
  table: 'tvl_reading',
  name: `Source ${id}`,
  every: '1h',
  request: PLACES[id]?.(named(id)),
  records: RECORDS[id] ?? '',
  guards: { min_records: 0 },
  fields: { protocol: 'name', observed_at: { from: 'at', time: 'unix_s' }, tvl_usd: 'usd' },
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}

/** Of each file its text; of compressed ones what is in them. */
async function storedTexts(): Promise<readonly (readonly [where: string, text: string])[]> {
  const engine = await openScratchEngine();
  const texts: (readonly [string, string])[] = [];
  for (const path of filesIn(join(dir, 'var')).concat(filesIn(join(dir, 'mirror')))) {
    const bytes = readFileSync(path);
    texts.push([path, (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1')]);
    if (path.endsWith('.parquet'))
      texts.push([path, JSON.stringify(await engine.rows(`select * from read_parquet('${path}')`))]);
  }
  await engine.close();
  return texts;
}

/** Served until the given paths were read. */
async function servedTexts(programs: ProgramRuns, paths: readonly string[]) {
  const texts: (readonly [string, string])[] = [];
  let isRead = false;
  let reading: Promise<void> | null = null;
  const read = async (address: string) => {
    for (const path of paths) texts.push([path, await (await fetch(`${address}${path}`)).text()]);
    isRead = true;
  };
  const isWorking = (output: string): boolean => {
    const address = /"url":"([^"]+)"/.exec(output)?.[1];
    if (address !== undefined) reading ??= read(address);
    return isRead;
  };
  const { code, out, err } = await programs.runUntil(
    isWorking,
    'server',
    'serve',
    ...['--port', '0', '--metrics-port', '0'],
  );
  await reading;
  expect({ code, isRead }).toEqual({ code: 0, isRead: true });
  return [...texts, ['log of the server', out + err] as const];
}

const COMMANDS = [
  ['sources check', 'header'],
  ['fetch'],
  ['run'],
  ['status', '--json'],
  ['sources list', '--json'],
  ['quarantine list'],
  ['verify'],
  ['export', '--out', 'mirror', '--plan', 'enterprise'],
] as const;

test('nothing that the programs store, publish, print or serve holds a secret of a source', async () => {
  const sources = Object.fromEntries(IDS.map((id) => [id, sourceOf(id)]));
  const hosts = { 'api.example': { address: server.address, requests_per_minute: 6_000 } };
  writeFileSync(join(dir, 'my.json'), JSON.stringify({ profile: 'files', sources, hosts }));
  const env = Object.fromEntries(IDS.map((id) => [`CANARY_${id.toUpperCase()}`, canaryOf(id)]));
  const settings = ['--config', 'my.json', '--data-dir', 'var'];
  const programs = new ProgramRuns({ cwd: dir, env, settings });
  const printed: (readonly [string, string])[] = [];
  for (const [command, ...args] of COMMANDS) {
    const { out, err } = await programs.run('jobs', command, ...args);
    printed.push([`jobs ${command}`, out + err]);
  }
  expect(new Set(server.asked.map(({ path }) => /^\/(\w+)/.exec(path)?.[1]))).toEqual(new Set(IDS));
  expect(existsSync(join(dir, 'mirror'))).toBe(true);
  const pages = ['/v1/status', '/v1/health', '/', '/status', '/sources', '/v2/conditions', '/v2/coverage'];
  const texts = [...printed, ...(await servedTexts(programs, pages)), ...(await storedTexts())];
  // What the sources said is kept, with the name of the secret in its place.
  const kept = texts.filter(([, text]) => text.includes(named('path'))).map(([where]) => where);
  expect(kept.some((where) => where.includes('/recordings/'))).toBe(true);
  expect(kept.some((where) => where.includes('/quarantine/'))).toBe(true);
  const landed = texts.filter(([where]) => where.includes('/landing/tvl_reading/'));
  expect(landed.some(([, text]) => text.includes(named('path').toLowerCase()))).toBe(true);
  const traces = texts.flatMap(([where, text]) =>
    IDS.flatMap((id) => {
      const trace = text.includes(canaryOf(id))
        ? canaryOf(id)
        : traceOf(canaryOf(id), text.slice(0, 200_000));
      return trace === null ? [] : [`${where} holds ${trace} of ${id}`];
    }),
  );
  expect(traces).toEqual([]);
});
