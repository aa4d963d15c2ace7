// The parameters of an operation: of the path, of the query, and the request headers that it reads.
import type { TSchema } from '../../schemas/define.ts';
import type { OpenApiSchema } from '../../schemas/openapi30.ts';
import type { Endpoint } from '../define/endpoint.ts';
import type { EndpointGroup } from './group-endpoints.ts';
import { isIdempotent } from './headers.ts';
import type { Parameter, Reference } from './model.ts';
import type { SchemaShelf } from './named-schemas.ts';
import { refTo } from './used-components.ts';

export function parametersOf(group: EndpointGroup, shelf: SchemaShelf): (Parameter | Reference)[] {
  return [...pathParameters(group, shelf), ...queryParameters(group.endpoints, shelf), ...headersOf(group)];
}

function pathParameters({ names, endpoints }: EndpointGroup, shelf: SchemaShelf): Parameter[] {
  return [...names].map(([index, name]) => {
    const schemas = endpoints.flatMap(({ path, params }) => {
      const own = path.split('/')[index]?.slice(1) ?? '';
      return (params.properties as Record<string, TSchema>)[own] ?? [];
    });
    return { name, in: 'path', required: true, ...described(anyOf(schemas, shelf)) };
  });
}

function anyOf(schemas: readonly TSchema[], shelf: SchemaShelf): OpenApiSchema {
  const made = schemas.map((schema) => shelf.convert(schema));
  const [first] = made;
  if (made.length === 1 && first !== undefined) return first;
  const words = made.flatMap(({ description }) => (typeof description === 'string' ? description : []));
  return { description: words.join('; or: '), anyOf: made };
}

/** What a schema says of the parameter as a whole stands beside it. */
function described({ description, example, ...schema }: OpenApiSchema): Pick<Parameter, 'schema'> {
  return {
    ...(typeof description === 'string' ? { description } : {}),
    ...(example === undefined ? {} : { example }),
    schema,
  };
}

function queryParameters(endpoints: readonly Endpoint[], shelf: SchemaShelf): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const { query } of endpoints) {
    const required = new Set(query.required);
    for (const [name, schema] of Object.entries(query.properties as Record<string, TSchema>)) {
      found.set(name, {
        name,
        in: 'query',
        required: endpoints.length === 1 && required.has(name),
        ...described(shelf.convert(schema)),
      });
    }
  }
  return [...found.values()];
}

function headersOf({ method, endpoints }: EndpointGroup): Reference[] {
  const found: Reference[] = [];
  if (method === 'GET' && endpoints.some(({ cache }) => cache === 'shared'))
    found.push({ $ref: refTo('parameters', 'IfNoneMatch') });
  if (endpoints.some(isIdempotent)) found.push({ $ref: refTo('parameters', 'IdempotencyKey') });
  return found;
}
