import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyWebhook } from '../../../packages/client/src/client.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { makeSecret } from '../../../server/webhooks/sign.ts';
import { coverageRow, eventCandidate, fixtureDatasets, ServerFixture } from '../../server/server-fixture.ts';
import { TestReceiver } from '../../server/webhooks/received.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PROGRAM = new URL('../../../packages/client/src/cli/main.ts', import.meta.url).pathname;
const SECRET = makeSecret((bytes) => Buffer.alloc(bytes, 5));
const ROWS = Array.from({ length: 7 }, (_, n) => coverageRow(`0x${n}`, n));

const others: Server[] = [];
let fixture: ServerFixture;
let server: RunningServer;
let key: string;
let ids: readonly string[];
beforeAll(async () => {
  fixture = await ServerFixture.create();
  const envelopes = await fixture.append(Array.from({ length: 4 }, (_, n) => eventCandidate(n)));
  ids = envelopes.map((envelope) => (JSON.parse(envelope) as { event_id: string }).event_id);
  await fixture.publish(fixtureDatasets(undefined, ROWS));
  key = await fixture.key('team');
  server = await fixture.serve();
});
afterAll(async () => {
  for (const other of others) other.close();
  await fixture.remove();
});

const environment = (url = server.url) => ({ ...process.env, DEFI_RISK_URL: url, DEFI_RISK_KEY: key });

async function run(args: readonly string[], url?: string) {
  const done = promisify(execFile)(process.execPath, [PROGRAM, ...args], { env: environment(url) });
  const { stdout, stderr, code } = await done.then(
    (output) => ({ ...output, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
  return { stdout, stderr, code };
}

test('get prints the answer as it is', async () => {
  const { stdout, code } = await run(['get', '/v2/data-manifest/coverage', '-q', 'limit=2']);
  const { data, meta } = JSON.parse(stdout);
  expect([code, data.length, meta.total]).toEqual([0, 2, 7]);
});

test('get --all prints a row a line, over all pages', async () => {
  const { stdout } = await run(['get', '/v2/data-manifest/coverage', '-q', 'limit=2', '--all']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).scope_id)).toEqual(ROWS.map(({ value }) => value.scope_id));
});

test('an error of the service ends it with 1 and the code', async () => {
  const { stderr, stdout, code } = await run(['get', '/v2/nothing']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^404 not_found: .*request req_/);
});

test.each([
  [[], 'Usage: defi-risk get'],
  [['unknown'], 'Usage: defi-risk get'],
  [['get'], 'The path, such as /v2/pegs, is missing.'],
  [['get', 'v2/pegs'], 'The path must begin with "/", and not be "v2/pegs".'],
  [['get', '/v2/pegs', '-q', 'limit'], '"limit" is not NAME=VALUE'],
  [['get', '/v2/pegs', '--prot'], "Unknown option '--prot'"],
  [['get', '/v2/pegs', '--base-url', 'localhost:8080'], '"localhost:8080" is not the address of a service'],
  [['pull', 'pegs', '--form', 'xml'], '"xml" is not a form: json, ndjson, csv, parquet, arrow.'],
  [['trigger', 'no.such', '--forward-to', 'http://127.0.0.1:1/'], '"no.such" is not an event type:'],
  [['trigger', 'oracle.stale'], 'The address (--forward-to) is missing.'],
  [['listen', '--forward-to', 'http://127.0.0.1:1/', '--secret', 'v1,whsec_x'], 'from "whsec_" on.'],
])('%j is a wrong command line, and ends it with 2', async (args, message) => {
  const { stderr, code } = await run(args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).toContain('Usage: defi-risk ');
});

test('--help prints the usage of a command', async () => {
  expect(await run(['pull', '--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Usage: defi-risk pull DATASET/),
  });
});

/** The address of a server that answers everything with this. */
async function answering(status: number, body: string, type: string): Promise<string> {
  const other = createServer((_, response) => {
    response.writeHead(status, { 'Content-Type': type }).end(body);
  }).listen(0, '127.0.0.1');
  others.push(other);
  await once(other, 'listening');
  return `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
}

test('pull writes a dataset to a file', async () => {
  const file = join(temporaryFolder('pull'), 'pegs.csv');
  const url = await answering(200, 'symbol\nUSDC\n', 'text/csv');
  const { stderr } = await run(['pull', 'pegs', '--form', 'csv', '--output', file], url);
  expect(readFileSync(file, 'utf8')).toBe('symbol\nUSDC\n');
  expect(stderr).toBe(`${file}: 12 bytes\n`);
});

test('pull leaves no file if the dataset does not arrive', async () => {
  const url = await answering(404, '{"error":{"code":"not_found","message":"x"}}', 'application/json');
  const folder = temporaryFolder('pull');
  const { code } = await run(['pull', 'pegs', '--output', join(folder, 'pegs.parquet')], url);
  expect([code, readdirSync(folder)]).toEqual([1, []]);
});

test('tail prints the events after one, and ends with Ctrl-C', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'tail', '--since', ids[1] ?? ''], { env: environment() });
  const lines: string[] = [];
  const exit = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (lines.length === 2) child.kill('SIGINT');
  }
  expect(lines.map((line) => line.split(' ').at(-1))).toEqual(ids.slice(2));
  expect(await exit).toEqual([0, null]);
});

test('trigger sends a signed sample, which says that it is one', async () => {
  const receiver = await TestReceiver.start();
  const { stdout } = await run(['trigger', 'oracle.stale', '--forward-to', receiver.url, '--secret', SECRET]);
  const [post] = await receiver.until(1);
  receiver.stop();
  if (post === undefined) throw new Error('Nothing arrived.');
  const event = await verifyWebhook(post, { secrets: [SECRET] });
  expect(event).toMatchObject({ type: 'oracle.stale', test: true });
  expect(post.headers['service-event-test']).toBe('true');
  expect(stdout).toContain(': 204\n');
});
