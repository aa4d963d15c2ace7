// The schemas of a tool that an endpoint becomes, and how arguments and data of one are those of the other.
import type { TObject, TSchema } from 'typebox';
import { Strict, Type } from '../../schemas/define.ts';
import type { Endpoint } from '../define/endpoint.ts';
import { type Arguments, answerSchema, asOfArgument, cursorArgument, limitArgument } from './tool.ts';

export interface EndpointTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly endpoint: Endpoint;
  /** Arguments by the name of the parameter, where that is not fit for one. */
  readonly names?: Readonly<Record<string, string>>;
  /** Arguments that this tool requires although the endpoint does not. A page without rows is then `not_found`. */
  readonly required?: readonly string[];
  /** Members of the data, or of each row, that are left out because they are long; `a.b` is member `b` of member `a`. */
  readonly omitted?: readonly string[];
  /** Name of the member of the data whose rows may be cut; without a name, the data itself if it is a list. */
  readonly rows?: string;
  /** Datasets that the handler of a run reads. */
  readonly datasets?: readonly string[];
  /** Path and query of what reproduces the answer of a run. */
  linkOf?(args: Arguments): { readonly path: string; readonly query: Arguments };
}

export type Fields = Readonly<Record<string, unknown>>;

/** The arguments of a call under the names of the endpoint. */
export interface Parts {
  readonly params: Fields;
  readonly query: Fields;
  readonly body: Fields;
}

/** Members of `meta` that every answer has in another form. */
export const COMMON_META: ReadonlySet<string> = new Set(['_agentic', 'cursor', 'has_more', 'limit']);
const LIMITS = ['limit', 'page[limit]'] as const;
const CURSORS = ['cursor', 'page[cursor]'] as const;
const MAX_TEXT = 1_000;

export class EndpointShape {
  readonly input: TObject;
  readonly output: TObject;
  /** Who cuts rows into pages; undefined if there are none to cut. */
  readonly pagedBy: 'endpoint' | 'tool' | undefined;
  readonly #tool: EndpointTool;
  readonly #limitName: string | undefined;
  readonly #cursorName: string | undefined;

  constructor(tool: EndpointTool) {
    const { endpoint, rows } = tool;
    this.#tool = tool;
    this.#limitName = LIMITS.find((name) => Object.hasOwn(endpoint.query.properties, name));
    this.#cursorName = CURSORS.find((name) => Object.hasOwn(endpoint.query.properties, name));
    const { data = Type.Unknown(), meta } = propertiesOf(endpoint.response);
    const hasRows = rows !== undefined || itemsOf(data) !== undefined;
    this.pagedBy = this.#cursorName === undefined ? (hasRows ? 'tool' : undefined) : 'endpoint';
    this.input = this.#inputSchema();
    const own = Object.entries(propertiesOf(meta)).filter(([name]) => !COMMON_META.has(name));
    this.output = answerSchema(this.#trimmed(data), Object.fromEntries(own));
  }

  #inputSchema(): TObject {
    const { params, query, body } = this.#tool.endpoint;
    const common = new Set([this.#limitName, this.#cursorName, 'as_of', 'version']);
    const all = Object.entries({ ...params.properties, ...query.properties, ...body?.properties });
    const own = all.filter(([name]) => !common.has(name));
    return Strict({
      ...Object.fromEntries(
        own.map(([name, schema]) => [this.#argumentOf(name), this.#bounded(name, schema)]),
      ),
      ...(this.pagedBy !== undefined && { limit: limitArgument, cursor: cursorArgument }),
      as_of: asOfArgument,
    }) as TObject;
  }

  #argumentOf(name: string): string {
    return this.#tool.names?.[name] ?? name;
  }

  #bounded(name: string, schema: TSchema): TSchema {
    const isText = (schema as { readonly type?: unknown }).type === 'string';
    const bound = isText && !('maxLength' in schema) && !('enum' in schema) ? { maxLength: MAX_TEXT } : {};
    // TypeBox marks an optional member in a property that a spread does not copy.
    const isRequired =
      this.#tool.required?.includes(this.#argumentOf(name)) === true || !Type.IsOptional(schema);
    return isRequired ? { ...schema, ...bound } : Type.Optional({ ...schema, ...bound });
  }

  /** The schema without the omitted members. */
  #trimmed(schema: TSchema): TSchema {
    const { omitted = [] } = this.#tool;
    if (omitted.length === 0) return schema;
    const row = itemsOf(schema);
    if (row !== undefined) return Type.Array(this.#trimmed(row));
    return schemaWithout(schema, omitted);
  }

  partsOf(args: Arguments): Parts {
    const { params, query, body } = this.#tool.endpoint;
    const given = ({ properties }: TObject): Fields =>
      Object.fromEntries(
        Object.keys(properties).flatMap((name) => {
          const value = args[this.#argumentOf(name)];
          return value === undefined ? [] : [[name, value]];
        }),
      );
    return { params: given(params), query: given(query), body: body === undefined ? {} : given(body) };
  }

  /** The query of one page. `version`: the one that is read. */
  queryOf(
    {
      parts,
      limit,
      cursor,
      as_of,
    }: {
      readonly parts: Parts;
      readonly limit: number;
      readonly cursor: string | undefined;
      readonly as_of: string | undefined;
    },
    version: string,
  ): Fields {
    const { properties } = this.#tool.endpoint.query;
    const has = (name: string) => Object.hasOwn(properties, name);
    return {
      ...parts.query,
      ...(this.#limitName !== undefined && { [this.#limitName]: limit }),
      ...(this.#cursorName !== undefined && cursor !== undefined && { [this.#cursorName]: cursor }),
      ...(has('version') ? { version } : has('as_of') && as_of !== undefined ? { as_of } : {}),
    };
  }

  rowsOf(data: unknown): readonly unknown[] | null {
    const { rows } = this.#tool;
    const found = rows === undefined ? data : (data as Fields | null)?.[rows];
    return Array.isArray(found) ? found : null;
  }

  /** The data with these rows, without the omitted members. */
  dataOf(whole: unknown, rows: readonly unknown[] | null): unknown {
    if (rows !== null && this.#tool.rows === undefined) return rows.map((row) => this.#without(row));
    const trimmed = this.#without(whole);
    return rows === null ? trimmed : { ...(trimmed as Fields), [this.#tool.rows ?? '']: rows };
  }

  #without(value: unknown): unknown {
    return valueWithout(value, this.#tool.omitted ?? []);
  }
}

/** The paths inside a member. */
const inner = (paths: readonly string[], name: string): readonly string[] =>
  paths.flatMap((path) => (path.startsWith(`${name}.`) ? path.slice(name.length + 1) : []));

function schemaWithout(schema: TSchema, paths: readonly string[]): TSchema {
  if (paths.length === 0) return schema;
  const { anyOf } = schema as { readonly anyOf?: readonly TSchema[] };
  if (anyOf !== undefined) return Type.Union(anyOf.map((one) => schemaWithout(one, paths)));
  if (!Object.hasOwn(schema, 'properties')) return schema;
  const kept = Object.entries(propertiesOf(schema)).filter(([name]) => !paths.includes(name));
  return Strict(
    Object.fromEntries(kept.map(([name, one]) => [name, schemaWithout(one, inner(paths, name))])),
  );
}

function valueWithout(value: unknown, paths: readonly string[]): unknown {
  if (paths.length === 0 || typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !paths.includes(name));
  return Object.fromEntries(kept.map(([name, one]) => [name, valueWithout(one, inner(paths, name))]));
}

const propertiesOf = (schema: TSchema | undefined): Readonly<Record<string, TSchema>> =>
  (schema as { readonly properties?: Record<string, TSchema> } | undefined)?.properties ?? {};
const itemsOf = (schema: TSchema): TSchema | undefined => (schema as { readonly items?: TSchema }).items;
