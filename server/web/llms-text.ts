// A guide to the API for language models, in Markdown: endpoints, access, errors and paging.
import { EVENT_CATALOGUE } from '../../schemas/events.ts';
import type { OpenApiDocument } from '../openapi/model.ts';
import { groupsOf } from './docs-groups.ts';
import { type Stream, webhookGuideText } from './event-reference.ts';
import type { LocatedOperation } from './request-samples.ts';

export function llmsText(document: OpenApiDocument): Buffer {
  const groups = groupsOf(document).map(
    ({ name, description, operations }) =>
      `## ${name}\n\n${description}\n\n${operations.map(lineOf).join('\n')}\n`,
  );
  const events = EVENT_CATALOGUE.map(({ type, summary }) => `- \`${type}\`: ${summary}`);
  return Buffer.from(
    [
      `# ${String(document.info['title'])}\n`,
      `> Risk and analytics data about decentralized finance: scores, oracle feeds, networks, data coverage and risk events, each number with its source and age.\n`,
      `${String(document.info['description'])}\n`,
      PRACTICE,
      ...groups,
      webhookGuideText(),
      streamText(document),
      `## Event types\n\n${events.join('\n')}\n`,
      LINKS,
    ].join('\n'),
  );
}

function lineOf({ path, method, operation }: LocatedOperation): string {
  const { 'x-required-plan': plan, 'x-required-scope': scope, parameters = [] } = operation;
  const query = parameters.flatMap((one) => ('$ref' in one || one.in !== 'query' ? [] : one.name));
  const who = plan === null ? 'open' : `${plan} plan, scope ${scope}`;
  const asked = query.length === 0 ? '' : ` Query: ${query.map((name) => `\`${name}\``).join(', ')}.`;
  return `- \`${method.toUpperCase()} ${path}\` (${who}): ${operation.summary}.${asked}`;
}

function streamText({ 'x-websocket': stream }: OpenApiDocument): string {
  const { path, description, parameters, closeCodes } = stream as unknown as Stream;
  const lines = parameters.map((one) => `- \`${one.name}\`: ${one.description}`);
  const codes = Object.entries(closeCodes).map(([code, meaning]) => `- ${code}: ${meaning}`);
  return `## Follow the stream\n\n\`${path}\`: ${description}\n\n${lines.join('\n')}\n\nClose codes:\n\n${codes.join('\n')}\n`;
}

const PRACTICE = `## How to use it

- Send \`Authorization: Bearer <API_KEY>\`; endpoints marked open require no key.
- Read \`GET /v2/data-manifest\` first: it shows which data exists and how fresh it is.
- Lists under \`/v2\` are paged: pass \`meta.cursor\` back until \`meta.has_more\` is false. Replay: pass \`next_cursor\` as \`since_event_id\` until it is empty.
- \`X-RateLimit-Remaining\` is the number of requests left in this minute.
- \`meta._agentic\` of a response states its freshness, confidence, sources and quality gate. \`"kind": "simulated"\` in a source marks generated data.
- Today's record in a daily list changes until the UTC day ends. It is marked by \`X-Partial-Day: YYYY-MM-DD\` or, under \`/v2\`, by \`meta.partial_day\`. Without the mark, all records are of complete days.
- Keep \`ETag\` and send it as \`If-None-Match\`: 304 means that your copy is current.
`;

const LINKS = `## More

- [OpenAPI document](/openapi-public.yaml), also as [JSON](/openapi-public.json)
- [AsyncAPI document](/asyncapi.yaml) of the stream and the webhooks, also as [JSON](/asyncapi.json)
- Tools for agents: \`POST /mcp\`, the Model Context Protocol (revision 2026-07-28 and those of 2025), read-only, with the same keys
- [Reference](/docs), a page for each group of endpoints
- [Errors](/errors), each code at \`/errors/<code>\`
`;
