// `npm run examples -- <address> <key> [<file>]`: records example responses for the reference from a running demo: every GET of the API, with
// the example values of its parameters. Lists are cut to their first entry. Then `npm run format -- --write`.
import { writeFileSync } from 'node:fs';
import { ENDPOINTS } from '../../server/endpoints.ts';
import { openApiDocument } from '../../server/openapi/document.ts';
import { groupsOf } from '../../server/web/docs-groups.ts';
import { requestOf } from '../../server/web/request-samples.ts';

const [address, key = '', path] = process.argv.slice(2);
if (address === undefined) throw new Error('give the address of a running demo');

const MAX_TEXT = 300;

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened);
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}

const document = openApiDocument(ENDPOINTS);
const examples: Record<string, unknown> = {};
for (const located of groupsOf(document).flatMap(({ operations }) => operations)) {
  const { method, target } = requestOf(located, document.components);
  if (method !== 'GET' || /openapi|asyncapi|croissant|llms|webhooks|usage/.test(target)) continue;
  const response = await fetch(address + target, { headers: { Authorization: `Bearer ${key}` } });
  if (!response.ok) console.warn(`${response.status} ${target}`);
  else if (response.headers.get('content-type')?.includes('json') === true)
    examples[`GET ${located.path}`] = shortened(await response.json());
}
const file = path ?? new URL('../../server/web/response-examples.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(examples, null, 1)}\n`);
console.info(`${Object.keys(examples).length} examples`);
