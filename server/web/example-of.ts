// An example value for a schema: its own example, or a simple value of its type.
import type { OpenApiSchema } from '../../schemas/openapi30.ts';
import type { OpenApiDocument } from '../openapi/model.ts';
import { resolved } from './schema-tree.ts';

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
