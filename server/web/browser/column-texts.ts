// What the columns of tables show, in the words of the API: a column whose figures come from a member of a response is explained by the
// description of that member, as the reference has it.
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export interface ApiDescription {
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

export interface DatasetDescription {
  readonly id: string;
  readonly schema: Schema | null;
}

/** The description of what `/v2/pegs?chain=bsc#/data/0/price` points at; undefined if there is none. */
export type Explain = (origin: string) => string | undefined;

export function explainer(api: ApiDescription, datasets: readonly DatasetDescription[]): Explain {
  const { schemas } = api.components;
  const rows = new Map(datasets.map(({ id, schema }) => [`/v2/datasets/${id}`, schema]));
  const operations = Object.entries(api.paths).map(
    ([path, { get }]) => [new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), get] as const,
  );
  return (origin) => {
    const [address = '', pointer = ''] = origin.split('#');
    const path = address.split('?', 1)[0] ?? '';
    const names = pointer
      .split('/')
      .slice(1)
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
    const row = rows.get(path);
    if (row) return descriptionAt(row, names.slice(names[0] === 'data' ? 2 : 1), schemas);
    const found = operations.find(([pattern]) => pattern.test(path))?.[1];
    const root = found?.responses['200']?.content?.['application/json']?.schema;
    return root && descriptionAt(root, names, schemas);
  };
}

type Schemas = Readonly<Record<string, Schema>>;

function descriptionAt(root: Schema, names: readonly string[], schemas: Schemas): string | undefined {
  const found = names.reduce<Schema | undefined>((at, name) => at && memberOf(at, name, schemas), root);
  return found && partsOf(found, schemas).find(({ description }) => description !== undefined)?.description;
}

/** A schema and, of one that is made of several, all of these. */
function partsOf(schema: Schema, schemas: Schemas): readonly Schema[] {
  const { $ref } = schema;
  const whole = $ref === undefined ? schema : (schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  const { allOf = [], anyOf = [], oneOf = [] } = whole;
  return [whole, ...[...allOf, ...anyOf, ...oneOf].flatMap((part) => partsOf(part, schemas))];
}

function memberOf(schema: Schema, name: string, schemas: Schemas): Schema | undefined {
  for (const { properties, items, additionalProperties } of partsOf(schema, schemas)) {
    const values = typeof additionalProperties === 'object' ? additionalProperties : undefined;
    const found = properties?.[name] ?? (/^\d+$/.test(name) ? items : undefined) ?? values;
    if (found !== undefined) return found;
  }
  return undefined;
}
