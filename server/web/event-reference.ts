// The events in the reference: how to receive webhooks, the event types, and the stream. The figures of deliveries come from the
// dispatcher's own constants.

import type { EventType } from '../../schemas/event.ts';
import { EVENT_CATALOGUE } from '../../schemas/events.ts';
import { openapi30 } from '../../schemas/openapi30.ts';
import { LIMITS } from '../../schemas/plans.ts';
import { DELIVERY_HEADERS } from '../openapi/headers.ts';
import type { OpenApiDocument } from '../openapi/model.ts';
import { WAIT_SECONDS } from '../webhooks/retry.ts';
import { type Html, html, prose } from './html.ts';
import { schemaTree } from './schema-tree.ts';

/** Allowed clock difference for a signature, seconds (5.8). */
const TOLERANCE_S = 300;

const STEPS: readonly string[] = [
  'Read the raw body before parsing it, and read `t` and every `v1` from the header `Service-Signature: t=<unix seconds>,v1=<hex>`.',
  'Compute HMAC-SHA256 of `<t>.<raw body>`, keyed with the complete signing secret (`whsec_…`), as hex.',
  `Compare it with each \`v1\` in constant time; one must match. After a rotation, there is one per secret for ${LIMITS.webhook_grace_seconds.default / 3_600} hours.`,
  `Reject a \`t\` that differs from your clock by more than ${TOLERANCE_S} seconds.`,
  'Respond with 2xx within 15 seconds, then process the event, once per `event_id`: deliveries can arrive twice and out of order.',
  'Ignore events with `test: true`, and undo the effect of the event that `retracts_event_id` names.',
];

/** `5 s`, `30 min`, `24 h` */
function pauseText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`;
}

const RETRIES = `Any other status, or no response, is retried: ${WAIT_SECONDS.length} attempts in all, with pauses of ${WAIT_SECONDS.slice(1).map(pauseText).join(', ')}, each varied by 10 %. \`Retry-After\` is honoured, redirects are not followed, and 410 disables the subscription. Read missed events with \`GET /v2/events/replay\` from \`Service-Replay-Cursor\` on.`;

const headers = (): readonly (readonly [name: string, description: string])[] =>
  Object.values(DELIVERY_HEADERS).map(({ name, description = '' }) => [name, description]);

export const webhookGuide = (): Html => html`<h2 id="receive">Receive webhooks</h2>
<ol>${STEPS.map((step) => html`<li>${prose(step)}</li>`)}</ol>
<p>Any Standard Webhooks library verifies the headers <code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code> instead.</p>
<dl>${headers().map(([name, description]) => html`<dt><code>${name}</code></dt><dd>${prose(description)}</dd>`)}</dl>
<p>${prose(RETRIES)}</p>
`;

export const webhookGuideText = (): string => `## Receive webhooks

${STEPS.map((step, index) => `${index + 1}. ${step}`).join('\n')}

Headers of a delivery:

${headers()
  .map(([name, description]) => `- \`${name}\`: ${description}`)
  .join('\n')}

${RETRIES}
`;

/** The event types and the stream in the reference. */
export function eventSections({ components, 'x-websocket': stream }: OpenApiDocument): Html {
  const envelope = components.schemas['Event'] ?? {};
  return html`<p>Webhooks, the stream and replay carry the same events with the same ids. All events share one envelope; <code>data</code> depends on the type and may gain members.</p>
<details class="answer"><summary>Envelope</summary>${schemaTree(envelope, components.schemas)}</details>
${[...sectionsOf(components, stream).values()]}`;
}

/** By event type, plus `stream`. */
export const eventSectionsByName = ({
  components,
  'x-websocket': stream,
}: OpenApiDocument): ReadonlyMap<string, Html> => sectionsOf(components, stream);

const sectionsOf = (components: OpenApiDocument['components'], stream: unknown): ReadonlyMap<string, Html> =>
  new Map([
    ...EVENT_CATALOGUE.map((event) => [event.type, eventSection(event, components)] as const),
    ['stream', streamSection(stream as Stream)] as const,
  ]);

const eventSection = (
  { type, severities, severity_rule: rule, summary, subject, data }: EventType,
  { schemas }: OpenApiDocument['components'],
): Html => html`<section class="operation" id="${type}">
<h3><a class="anchor" href="#${type}"><code>${type}</code></a></h3>
<p>${prose(summary)}.</p>
<p class="access">${severities.map((severity) => html`<span class="badge ${severity}">${severity}</span> `)} ${rule !== undefined && prose(rule)}</p>
<p class="type">subject: <code>${subject}</code></p>
<details class="answer"><summary>data</summary>${schemaTree(openapi30(data), schemas)}</details>
</section>
`;

export interface Stream {
  readonly path: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly description: string }[];
  readonly closeCodes: Readonly<Record<string, string>>;
}

const streamSection = ({
  path,
  description,
  parameters,
  closeCodes,
}: Stream): Html => html`<section class="operation" id="stream">
<h3><a class="anchor" href="#stream"><span class="method get">WS</span> <code>${path}</code></a></h3>
<p>${prose(description)}</p>
<h4>Query</h4>${definitions(Object.fromEntries(parameters.map(({ name, description: text }) => [name, text])))}
<h4>Close codes</h4>${definitions(closeCodes)}
<p>For generators: <a href="/asyncapi.yaml">the stream and the webhooks as AsyncAPI 3.0</a>, also as <a href="/asyncapi.json">JSON</a>.</p>
</section>
`;

const definitions = (entries: Readonly<Record<string, string>>): Html =>
  html`<dl>${Object.entries(entries).map(([name, text]) => html`<dt><code>${name}</code></dt><dd>${prose(text)}</dd>`)}</dl>`;
