import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TOOLS } from '../../../server/mcp/tools.ts';
import { bareEnvironment } from '../../support/bare-environment.ts';
import { ServerFixture } from '../server-fixture.ts';
import { MODERN } from './mcp-client.ts';

const MAIN = new URL('../../../server/main.ts', import.meta.url).pathname;
const INFO = { name: 'test', version: '1.0.0' };

let fixture: ServerFixture;
let stop: () => Promise<void>;
let url: URL;

beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish();
  const args = [
    '--snapshot-dir',
    fixture.dir,
    '--port',
    '0',
    '--metrics-port',
    '0',
    '--data-dir',
    fixture.dir,
  ];
  const child = spawn(process.execPath, [MAIN, ...args], { env: bareEnvironment(), stdio: 'pipe' });
  const exited = once(child, 'exit');
  let output = '';
  const base = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const [, found] = /"url":"([^"]+)"/.exec(output) ?? [];
      if (found !== undefined && output.includes('serving a new version')) resolve(found);
    });
    void exited.then(() => reject(new Error(output)));
  });
  url = new URL('/mcp', base);
  stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
});
afterAll(async () => {
  await stop();
  await fixture.remove();
});

const ARGUMENTS = { subject: 'dataset:oracle-pairs' };
const names = TOOLS.map(({ name }) => name);

describe('the official client', () => {
  test.each([
    ['of 2026', { mode: { pin: MODERN } }],
    ['that negotiates', { mode: 'auto' }],
    ['that only knows 2025', { mode: 'legacy' }],
  ] as const)('%s lists the tools and calls one', async (_, versionNegotiation) => {
    const client = new Client(INFO, { versionNegotiation });
    await client.connect(new StreamableHTTPClientTransport(url));
    expect(client.getServerVersion()?.name).toBe('defi-risk-data-service');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    for (const { annotations, outputSchema, title } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true, destructiveHint: false });
      expect(outputSchema?.['type']).toBe('object');
      expect(title).toMatch(/\w/);
    }
    // The client compares the answer with the output schema, and throws if it does not fit.
    const answer = await client.callTool({ name: 'is_it_usable', arguments: ARGUMENTS });
    expect(answer.structuredContent).toMatchObject({ data: { verdict: 'do_not_use' } });
    const listed = await client.callTool({ name: 'list_datasets', arguments: { limit: 2 } });
    expect(listed.structuredContent).toMatchObject({
      data: [{ id: 'coverage' }, { id: 'manifest-summary' }],
    });
    const refused = await client.callTool({ name: 'get_peg', arguments: {} });
    expect(refused).toMatchObject({ isError: true });
    await client.close();
  });
});

test('a client of the library before that lists the tools and calls one', async () => {
  const client = new OldClient(INFO);
  // The types of that library do not allow for exact optional members.
  await client.connect(new OldTransport(url) as unknown as Parameters<OldClient['connect']>[0]);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(names);
  const answer = await client.callTool({ name: 'is_it_usable', arguments: ARGUMENTS });
  expect(answer.structuredContent).toMatchObject({ data: { verdict: 'do_not_use' } });
  await client.ping();
  await client.close();
});
