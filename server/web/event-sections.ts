// The event types and the stream in the reference.

import type { EventType } from '../../schemas/event.ts';
import { EVENT_CATALOGUE } from '../../schemas/events.ts';
import { openapi30 } from '../../schemas/openapi30.ts';
import type { OpenApiDocument } from '../openapi/model.ts';
import { type Html, html, prose } from './html.ts';
import { schemaTree } from './schema-tree.ts';

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
