// One operation in the reference: access, parameters, responses and errors.
import { readFileSync } from 'node:fs';
import { ERRORS, type ErrorCode } from '../../schemas/errors.ts';
import type { OpenApiDocument, Operation, Parameter, Reference, Response } from '../openapi/model.ts';
import { once } from './file-endpoint.ts';
import { type Html, html, prose } from './html.ts';
import { type LocatedOperation, requestOf, samplesOf } from './request-samples.ts';
import { schemaTree, typeName } from './schema-tree.ts';

type Components = OpenApiDocument['components'];

export function operationSection(located: LocatedOperation, components: Components): Html {
  const { path, method, operation } = located;
  const body = operation.requestBody?.content['application/json']?.schema;
  return html`<section class="operation" id="${operation.operationId}">
<h3><a class="anchor" href="#${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></a></h3>
<p>${prose(operation.summary)}.</p>
<p class="access">${access(located)}</p>
${samples(located, components)}
${parameterTable(operation, components)}
${body !== undefined && html`<h4>Body</h4>${schemaTree(body, components.schemas)}`}
${example(located)}
${answers(located, components)}
<h4>Errors</h4>
<ul class="errors">${operation['x-error-codes'].map(errorItem)}</ul>
</section>
`;
}

function samples(located: LocatedOperation, components: Components): Html {
  const { method, target } = requestOf(located, components);
  const path = method === 'GET' && html` data-path="${target}"`;
  const blocks = Object.entries(samplesOf(located, components)).map(([language, text], index) =>
    index === 0
      ? html`<pre tabindex="0" data-language="${language}"><code>${text}</code></pre>`
      : html`<pre tabindex="0" data-language="${language}" hidden><code>${text}</code></pre>`,
  );
  return html`<div class="samples"${path}>${blocks}</div>`;
}

/** The response of the demo to such a request. */
function example({ path, method }: LocatedOperation): Html | undefined {
  const value = responseExample(method, path);
  return value === undefined
    ? undefined
    : html`<details class="answer"><summary>Example response</summary><p class="type">From the demo, with only the first entry of each list.</p><pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></details>`;
}

function access({ operation }: LocatedOperation): Html {
  const { 'x-required-plan': plan, 'x-required-scope': scope } = operation;
  return plan === null
    ? html`<span class="badge">open</span>`
    : html`<a class="badge" href="/docs#plans">plan: ${plan}${plan === 'free' ? '' : ' or higher'}</a> <span class="badge">scope: ${scope ?? ''}</span>`;
}

const errorItem = (code: string): Html =>
  html`<li><a href="/errors/${code}"><code>${code}</code></a> ${ERRORS[code as ErrorCode].http}</li>`;

function parameterTable(
  { operationId, parameters: given = [] }: Operation,
  components: Components,
): Html | undefined {
  const parameters = given.map((one) => ('$ref' in one ? parameterNamed(one, components) : one));
  if (parameters.length === 0) return undefined;
  const rows = parameters.map(
    ({ name, in: location, required, description = '', schema }) =>
      html`<tr><td><code>${name}</code></td><td>${location}${required ? '' : ', optional'}</td><td>${typeName(schema, components.schemas)}${detail(schema)}</td><td>${prose(description)}</td></tr>`,
  );
  return html`<h4>Parameters</h4><div class="wide" tabindex="0" role="region" aria-label="Parameters of ${operationId}"><table class="stacked parameters"><thead><tr><th>Name</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function parameterNamed({ $ref }: Reference, { parameters }: Components): Parameter {
  const found = parameters[$ref.split('/').at(-1) ?? ''];
  if (found === undefined) throw new Error(`The document has no parameter ${$ref}.`);
  return found;
}

function detail(schema: Parameter['schema']): string {
  const values = (schema['enum'] ?? []) as readonly unknown[];
  const text = [
    values.length > 0 && `one of ${values.join(', ')}`,
    schema['minimum'] !== undefined && `from ${schema['minimum']}`,
    schema['maximum'] !== undefined && `to ${schema['maximum']}`,
    schema['default'] !== undefined && `default ${schema['default']}`,
  ].filter((word) => word !== false);
  return text.length === 0 ? '' : ` (${text.join(', ')})`;
}

function answers({ operation }: LocatedOperation, components: Components): Html[] {
  return Object.entries(operation.responses).flatMap(([status, answer]) =>
    '$ref' in answer ? [] : answerPart(status, answer, components),
  );
}

function answerPart(status: string, { content = {} }: Response, components: Components): Html {
  const types = Object.entries(content);
  const shown = types.map(([type, { schema }]) =>
    type === 'application/json'
      ? html`<details class="answer"><summary>${type}</summary>${schemaTree(schema, components.schemas)}</details>`
      : html`<p class="type">${type}</p>`,
  );
  return html`<h4>Response ${status}</h4>${types.length === 0 ? html`<p class="type">no body</p>` : shown}`;
}

// Example responses of the reference, recorded from the demo by `npm run examples`.

type Examples = Readonly<Record<string, unknown>>;

const examples = once(
  () => JSON.parse(readFileSync(new URL('./response-examples.json', import.meta.url), 'utf8')) as Examples,
);

/** Undefined for operations that change something or need resources of a caller. */
const responseExample = (method: string, path: string): unknown =>
  examples()[`${method.toUpperCase()} ${path}`];
