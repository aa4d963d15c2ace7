// An operation as a curl command for the shell, with API and KEY as variables.
import type { OpenApiSchema } from '../../schemas/openapi30.ts';
import type { OpenApiDocument, Operation, Parameter, Reference } from '../openapi/model.ts';
import { exampleOf } from './example-of.ts';

type Components = OpenApiDocument['components'];

export interface Located {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

export function curlExample({ path, method, operation }: Located, { schemas }: Components): string {
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
  const body = operation.requestBody?.content['application/json']?.schema;
  const parts = [
    method === 'get' ? 'curl' : `curl -X ${method.toUpperCase()}`,
    operation['x-required-plan'] === null ? '' : '-H "Authorization: Bearer $KEY"',
    body === undefined ? '' : `-H 'Content-Type: application/json' -d '${bodyText(body, schemas)}'`,
    `"$API${filled}${query.length > 0 ? `?${query.join('&')}` : ''}"`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

const isInline = (parameter: Parameter | Reference): parameter is Parameter => !('$ref' in parameter);

const exampleOfParameter = ({ example, schema }: Parameter, schemas: Components['schemas']): unknown =>
  example ?? exampleOf(schema, schemas);

/** In single quotes, in which a shell interprets only the quote itself. */
const bodyText = (schema: OpenApiSchema, schemas: Components['schemas']): string =>
  JSON.stringify(exampleOf(schema, schemas)).replaceAll("'", `'\\''`);
