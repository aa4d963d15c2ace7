// The parameters of an operation: path and query parameters, and the request headers that it reads.
import type { TSchema } from '../../schemas/define.ts';
import type { OpenApiSchema } from '../../schemas/openapi30.ts';
import type { Endpoint } from '../define/endpoint.ts';
import type { EndpointGroup } from './group-endpoints.ts';
import { isIdempotent } from './headers.ts';
import type { Parameter, Reference } from './model.ts';
import type { SchemaNames } from './named-schemas.ts';
import { refTo } from './used-components.ts';

export function parametersOf(group: EndpointGroup, named: SchemaNames): (Parameter | Reference)[] {
  return [...pathParameters(group, named), ...queryParameters(group.endpoints, named), ...headersOf(group)];
}

function pathParameters({ names, endpoints }: EndpointGroup, named: SchemaNames): Parameter[] {
  return [...names].map(([index, name]) => {
    const schemas = endpoints.flatMap(({ path, params }) => {
      const own = path.split('/')[index]?.slice(1) ?? '';
      return (params.properties as Record<string, TSchema>)[own] ?? [];
    });
    return { name, in: 'path', required: true, ...described(anyOf(schemas, named)) };
  });
}

function anyOf(schemas: readonly TSchema[], named: SchemaNames): OpenApiSchema {
  const made = schemas.map((schema) => named.convert(schema));
  const [first] = made;
  if (made.length === 1 && first !== undefined) return first;
  const parts = made.flatMap(({ description }) => (typeof description === 'string' ? description : []));
  return { description: parts.join('; or: '), anyOf: made };
}

/** The description of a schema is moved to the parameter. */
function described({ description, example, ...schema }: OpenApiSchema): Pick<Parameter, 'schema'> {
  return {
    ...(typeof description === 'string' ? { description } : {}),
    ...(example === undefined ? {} : { example }),
    schema,
  };
}

function queryParameters(endpoints: readonly Endpoint[], named: SchemaNames): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const { query } of endpoints) {
    const required = new Set(query.required);
    for (const [name, schema] of Object.entries(query.properties as Record<string, TSchema>)) {
      found.set(name, {
        name,
        in: 'query',
        required: endpoints.length === 1 && required.has(name),
        ...described(named.convert(schema)),
      });
    }
  }
  return [...found.values()];
}

function headersOf({ method, endpoints }: EndpointGroup): Reference[] {
  const found: Reference[] = [];
  if (method === 'GET' && endpoints.some(({ cache }) => cache === 'shared'))
    found.push({ $ref: refTo('parameters', 'IfNoneMatch') });
  if (endpoints.some(({ hasRanges }) => hasRanges))
    for (const name of ['Range', 'IfRange']) found.push({ $ref: refTo('parameters', name) });
  if (endpoints.some(isIdempotent)) found.push({ $ref: refTo('parameters', 'IdempotencyKey') });
  return found;
}
