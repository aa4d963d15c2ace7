// The examples of the reference are of the demo: a newcomer who sends one gets an answer, and sees beforehand what it looks like.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { openApiDocument } from '../../../server/openapi/document.ts';
import { groupsOf } from '../../../server/web/docs-groups.ts';
import { requestOf } from '../../../server/web/request-samples.ts';
import { DEMO_NOW, demoFolder } from '../../support/demo-folder.ts';
import { ServerFixture } from '../server-fixture.ts';

/** Ids of events and webhooks are of one installation. */
const OF_ONE_INSTALLATION = /^\/v2\/(?:events|webhooks)\/\{/;
/** Documents about the API, and what is of one organisation. */
const UNRECORDED = /openapi|asyncapi|croissant|llms|webhooks|usage/;
const RECORDED = JSON.parse(
  readFileSync(new URL('../../../server/web/response-examples.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, unknown>>;

let served: ServerFixture;
let url: string;
let key: string;

beforeAll(async () => {
  served = new ServerFixture(join(await demoFolder(), 'snapshots'));
  served.nowMs = DEMO_NOW * 1_000;
  key = await served.key('enterprise', { limits: { requests_per_minute: 1_000_000 } });
  ({ url } = await served.serve());
}, 300_000);
afterAll(() => served.remove());

test('every example of a GET is answered with data, of which the reference shows a record', async () => {
  const document = openApiDocument(ENDPOINTS);
  const wrong: string[] = [];
  for (const located of groupsOf(document).flatMap(({ operations }) => operations)) {
    const { method, target } = requestOf(located, document.components);
    if (method !== 'GET' || OF_ONE_INSTALLATION.test(located.path)) continue;
    const response = await fetch(url + target, { headers: { Authorization: `Bearer ${key}` } });
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    await response.arrayBuffer();
    if (response.status !== 200) wrong.push(`${response.status} ${target}`);
    else if (isJson && !UNRECORDED.test(target) && !(`GET ${located.path}` in RECORDED))
      wrong.push(`no record of ${located.path}: npm run examples`);
  }
  expect(wrong).toEqual([]);
}, 120_000);
