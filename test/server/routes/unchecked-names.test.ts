// Names in filters while published data or the event log cannot be read: what does not need them goes on and says so, and what has no place
// to say so asks to come back.
import { rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VaultSchema } from '../../../schemas/vaults.ts';
import { segmentPath } from '../../../snapshots/layout.ts';
import { testWebhookOptions } from '../../support/ops-store.ts';
import {
  AS_OF_MS,
  datasetOf,
  eventCandidate,
  fixtureDatasets,
  isoSeconds,
  ServerFixture,
} from '../server-fixture.ts';
import { refusalOf } from '../stream/stream-client.ts';
import { resolveTestName } from '../webhooks/forbidden-addresses.ts';
import { DRAFT } from '../webhooks/webhook-api.ts';

const SUBJECT = 'oracle:ethereum:0xf0:0xf0';
const NAMES = {
  chains: ['Ethereum', 'etherium'],
  protocols: ['avae'],
  subjects: [SUBJECT, 'peg:ethereum:USDX'],
};
const value = (parameter: string, text: string) => ({ parameter, value: text });
const STRANGE = [value('chains', 'etherium'), value('protocols', 'avae')];
const peg = (chain: string) => ({ chain, asset_name: 'AAA', symbol: 'AAA', protocol: 'liquity' });
const datasets = [
  ...fixtureDatasets(),
  datasetOf('pegs', [{ key: 'base|AAA', value: peg('base') }]),
  datasetOf('conditions', []),
];

let fixture: ServerFixture;
let key: string;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  key = await fixture.key('team');
});
afterEach(() => fixture.remove());

const serve = () =>
  fixture.serve({ webhooks: testWebhookOptions({ resolve: resolveTestName, isLoopbackAllowed: false }) });
const segment = () => join(fixture.dir, segmentPath(fixture.segments.at(-1)?.name ?? ''));

interface Body {
  readonly data: { readonly id: string } & readonly unknown[];
  readonly meta: { readonly cursor?: string } & Readonly<Record<string, unknown>>;
  readonly error: { readonly details: { readonly parameter?: string } };
}

async function ask(
  url: string,
  path: string,
  { method = 'GET', body }: { method?: string; body?: object } = {},
) {
  const answer = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return {
    status: answer.status,
    retry: answer.headers.get('Retry-After'),
    json: (await answer.json()) as Body,
  };
}

async function subscribe(url: string) {
  const created = await ask(url, '/v2/webhooks', { method: 'POST', body: { ...DRAFT, ...NAMES } });
  const path = `/v2/webhooks/${created.json.data.id}`;
  const changed = await ask(url, path, { method: 'PATCH', body: NAMES });
  expect([created.status, changed.status, changed.json.meta]).toEqual([201, 200, created.json.meta]);
  return created.json;
}

test('a subscription is created before the first version, and none of its names is said to be right', async () => {
  const { meta } = await subscribe((await serve()).url);
  const unchecked = [
    value('chains', 'ethereum'),
    ...STRANGE,
    ...NAMES.subjects.map((one) => value('subjects', one)),
  ];
  expect(meta).toEqual({ unchecked });
});

test('a subscription is created while the event log was never read, and starts after its newest event', async () => {
  const appended = await fixture.append([eventCandidate(0), eventCandidate(1)]);
  await fixture.publish(datasets);
  await writeFile(segment(), 'x');
  const { data, meta } = await subscribe((await serve()).url);
  // The chain is that of rows. A log that is not read may have the others.
  expect(meta).toEqual({ unchecked: [...STRANGE, ...NAMES.subjects.map((one) => value('subjects', one))] });
  const record = await (await fixture.store()).webhooks.get('test', data.id);
  expect(record?.starts_after).toBe((JSON.parse(appended.at(-1) ?? '{}') as { id: string }).id);
});

test('a subscription needs no event of a log that was indexed and cannot be read any more', async () => {
  await fixture.append([eventCandidate(0)]);
  await fixture.publish(datasets);
  const { url } = await serve();
  await truncate(segment(), 10);
  expect((await subscribe(url)).meta).toEqual({
    unmatched: [...STRANGE, value('subjects', 'peg:ethereum:USDX')],
  });
});

test('of a log that is read in part, what is not found may follow', async () => {
  await fixture.append([eventCandidate(0)]);
  await fixture.publish(datasets);
  const server = await serve();
  await fixture.append([eventCandidate(1)]);
  await fixture.publish(datasets, isoSeconds(AS_OF_MS + 1_000));
  await writeFile(segment(), 'x');
  await server.refresh();
  expect((await subscribe(server.url)).meta).toEqual({
    unchecked: [...STRANGE, value('subjects', 'peg:ethereum:USDX')],
  });
  for (const path of ['/v2/conditions?chain=etherium,ethereum', '/v2/events?chain=etherium,ethereum'])
    expect([path, (await ask(server.url, path)).json.meta]).toMatchObject([
      path,
      { unchecked: [value('chain', 'etherium')] },
    ]);
  const list = await ask(server.url, '/v2/pegs?chain=etherium');
  expect([list.status, list.json.meta]).toMatchObject([
    200,
    { total: 0, unmatched: [value('chain', 'etherium')] },
  ]);
});

test('where there is no place to say so, a name that cannot be checked is asked for again later', async () => {
  await fixture.append([eventCandidate(0)]);
  await fixture.publish(datasets);
  const server = await serve();
  await fixture.append([eventCandidate(1)]);
  await fixture.publish(datasets, isoSeconds(AS_OF_MS + 1_000));
  await writeFile(segment(), 'x');
  await server.refresh();
  expect(await refusalOf(server.url, { key, query: 'chain=etherium' })).toMatchObject({
    status: 503,
    headers: { 'retry-after': '10' },
    body: { error: { code: 'unavailable', details: { parameter: 'chain' } } },
  });
  const feed = await ask(server.url, '/feeds/events.json?chain=etherium');
  expect([feed.status, feed.retry, feed.json.error.details]).toEqual([503, '10', { parameter: 'chain' }]);
  expect((await ask(server.url, '/feeds/events.json?chain=base')).status).toBe(200);
});

test('a list in memory needs no file of its version', async () => {
  await fixture.publish(datasets);
  const { url } = await serve();
  await rename(join(fixture.dir, 'versions'), join(fixture.dir, 'gone'));
  const refused = await ask(url, '/v2/pegs?chain=etherium');
  expect([refused.status, refused.json.error.details.parameter]).toEqual([400, 'chain']);
  expect((await ask(url, '/v2/pegs?chain=ethereum')).json.meta).toMatchObject({
    unmatched: [value('chain', 'ethereum')],
  });
});

const vault = (digit: string) => {
  const vault_address = `0x${digit.repeat(40)}`;
  const empty = Object.fromEntries(Object.keys(VaultSchema.properties).map((name) => [name, null]));
  const value = { ...empty, chain: 'base', vault_address, kind: 'morpho_v2', protocol: 'morpho' };
  const rest = { has_metadata: true, flags: [], state_status: 'fresh', gaps: [], pending_changes: 0 };
  return { key: `base|${vault_address}`, value: { ...value, ...rest } };
};

test('a page of an older version that is gone is served from memory, and names what no row has', async () => {
  const version = await fixture.publish([...datasets, datasetOf('vaults', [vault('a'), vault('b')])]);
  const server = await serve();
  const path = '/v2/vaults?chain=base,ethereum&limit=1';
  const first = await ask(server.url, path);
  expect(first.json.meta).toMatchObject({ has_more: true, unmatched: [value('chain', 'ethereum')] });
  await fixture.publish([...datasets, datasetOf('vaults', [])], isoSeconds(AS_OF_MS + 1_000));
  await server.refresh();
  await rm(join(fixture.dir, 'versions', version), { recursive: true });
  const second = await ask(server.url, `${path}&cursor=${first.json.meta.cursor}`);
  expect([second.status, second.json.data.length]).toEqual([200, 1]);
  expect(second.json.meta).toMatchObject({ has_more: false, unmatched: [value('chain', 'ethereum')] });
});
