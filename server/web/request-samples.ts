// An operation as a request in three languages, with API and KEY as variables.
import type { OpenApiSchema } from '../../schemas/openapi30.ts';
import type { OpenApiDocument, Operation, Parameter, Reference } from '../openapi/model.ts';
import { resolved } from './schema-tree.ts';

type Components = OpenApiDocument['components'];

export interface LocatedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** What a sample sends. */
interface Request {
  readonly method: string;
  /** With example values, and the required query parameters. */
  readonly target: string;
  readonly needsKey: boolean;
  readonly body: OpenApiSchema | undefined;
}

export function requestOf({ path, method, operation }: LocatedOperation, { schemas }: Components): Request {
  const parameters = (operation.parameters ?? []).filter(isInline);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.name === name);
    return parameter === undefined
      ? name
      : encodeURIComponent(String(exampleOfParameter(parameter, schemas)));
  });
  const required = parameters.filter((one) => one.in === 'query' && one.required);
  const query = required.map(
    (one) => `${one.name}=${encodeURIComponent(String(exampleOfParameter(one, schemas)))}`,
  );
  return {
    method: method.toUpperCase(),
    target: `${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    needsKey: operation['x-required-plan'] !== null,
    body: operation.requestBody?.content['application/json']?.schema,
  };
}

/** The text of a request by the name of its language. */
export function samplesOf(
  located: LocatedOperation,
  components: Components,
): Readonly<Record<string, string>> {
  return {
    curl: curlExample(located, components),
    TypeScript: typescriptExample(located, components),
    Python: pythonExample(located, components),
  };
}

export function curlExample(located: LocatedOperation, components: Components): string {
  const { method, target, needsKey, body } = requestOf(located, components);
  const parts = [
    method === 'GET' ? 'curl' : `curl -X ${method}`,
    needsKey ? '-H "Authorization: Bearer $KEY"' : '',
    body === undefined
      ? ''
      : `-H 'Content-Type: application/json' -d '${bodyText(body, components.schemas)}'`,
    `"$API${target}"`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function typescriptExample(located: LocatedOperation, components: Components): string {
  const { method, target, needsKey, body } = requestOf(located, components);
  const headers = [
    needsKey ? "Authorization: 'Bearer ' + KEY" : '',
    body === undefined ? '' : "'Content-Type': 'application/json'",
  ].filter((part) => part !== '');
  const options = [
    method === 'GET' ? '' : `  method: '${method}',`,
    headers.length === 0 ? '' : `  headers: { ${headers.join(', ')} },`,
    body === undefined
      ? ''
      : `  body: JSON.stringify(${JSON.stringify(exampleOf(body, components.schemas))}),`,
  ].filter((part) => part !== '');
  const init = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return `const response = await fetch(\`\${API}${target}\`${init});\nconsole.log(response.status, await response.json());`;
}

function pythonExample(located: LocatedOperation, components: Components): string {
  const { method, target, needsKey, body } = requestOf(located, components);
  const more = [
    needsKey ? ', headers={"Authorization": f"Bearer {KEY}"}' : '',
    body === undefined ? '' : `, json=${pythonText(exampleOf(body, components.schemas))}`,
  ].join('');
  return `import requests\n\nresponse = requests.${method.toLowerCase()}(f"{API}${target}"${more})\nprint(response.status_code, response.json())`;
}

const PYTHON_WORDS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** A value as a Python literal. Words inside strings are unchanged. */
const pythonText = (value: unknown): string =>
  JSON.stringify(value).replace(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (part) => PYTHON_WORDS[part] ?? part,
  );

export const isInline = (parameter: Parameter | Reference): parameter is Parameter => !('$ref' in parameter);

export const exampleOfParameter = ({ example, schema }: Parameter, schemas: Components['schemas']): unknown =>
  example ?? exampleOf(schema, schemas);

/** In single quotes, inside which a shell interprets only the quote itself. */
const bodyText = (schema: OpenApiSchema, schemas: Components['schemas']): string =>
  JSON.stringify(exampleOf(schema, schemas)).replaceAll("'", `'\\''`);

// An example value for a schema: its own example, or a simple value of its type.

type Schemas = OpenApiDocument['components']['schemas'];

export function exampleOf(schema: OpenApiSchema, schemas: Schemas): unknown {
  const whole = resolved(schema, schemas);
  const { example, default: usual, type, items, properties, required } = whole;
  const given = example ?? usual ?? ((whole['enum'] ?? []) as readonly unknown[])[0];
  if (given !== undefined) return given;
  const [choice] = (whole['anyOf'] ?? whole['oneOf'] ?? []) as readonly OpenApiSchema[];
  if (choice !== undefined) return exampleOf(choice, schemas);
  if (type === 'array') return items === undefined ? [] : [exampleOf(items as OpenApiSchema, schemas)];
  if (type === 'object') {
    const needed = new Set((required ?? []) as readonly string[]);
    const members = Object.entries((properties ?? {}) as Record<string, OpenApiSchema>);
    return Object.fromEntries(
      members.filter(([name]) => needed.has(name)).map(([name, one]) => [name, exampleOf(one, schemas)]),
    );
  }
  return plainest(whole);
}

function plainest({ type, minimum }: OpenApiSchema): unknown {
  if (type === 'integer' || type === 'number') return minimum ?? 1;
  return type === 'boolean' ? true : 'text';
}
