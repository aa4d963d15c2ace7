// The tool that reads rows of any published dataset, filtered by values of their columns.

import { nearestName } from '../../platform/base/nearest-name.ts';
import { oncePer } from '../../platform/base/once-per.ts';
import { DatasetRowSchema } from '../../schemas/datasets.ts';
import { Strict, Type } from '../../schemas/define.ts';
import { unmatchedSchema } from '../../schemas/envelopes.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { authorize } from '../access/authorize.ts';
import { filterHashOf, writeCursor } from '../data/paging/list-page.ts';
import type { Access } from '../define/caller.ts';
import { parameterFailure } from '../define/failure.ts';
import { type FilterValue, unmatchedMember } from '../define/filter-values.ts';
import { getDataset } from '../routes/datasets.ts';
import type { Services } from '../services.ts';
import { cursorOf } from './endpoint-tool.ts';
import {
  type Answer,
  type Arguments,
  answerSchema,
  asOfArgument,
  boundedAnswer,
  cursorArgument,
  headOf,
  limitArgument,
  linkTo,
  provenanceOf,
  ROWS,
  type Tool,
  type ToolCall,
} from './tool.ts';

const MAX_COLUMNS = 100;
const MAX_VALUES = 50;
/** A longer dataset is read as a file: parsing it would hold up other requests. */
const MAX_BYTES = 32 * 1_024 * 1_024;

const name = Type.String({ minLength: 1, maxLength: 100 });
const value = Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean(), Type.Null()]);

const input = Strict({
  dataset: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Id of a dataset, as in list_datasets',
    examples: ['pegs'],
  }),
  where: Type.Optional(
    Type.Record(name, Type.Union([value, Type.Array(value, { minItems: 1, maxItems: MAX_VALUES })]), {
      description:
        'Column and value, or a list of values of which one must match; several columns must all match. Text matches whatever its case; null matches what is unknown',
      maxProperties: 20,
    }),
  ),
  columns: Type.Optional(
    Type.Array(name, {
      minItems: 1,
      maxItems: MAX_COLUMNS,
      uniqueItems: true,
      description: 'Columns to return; default: all',
    }),
  ),
  limit: limitArgument,
  cursor: cursorArgument,
  as_of: asOfArgument,
});

type Row = Readonly<Record<string, unknown>>;
type Where = Readonly<Record<string, unknown>>;

export const queryDataset: Tool = {
  name: 'query_dataset',
  title: 'Read rows of a dataset',
  description:
    'Rows of a published dataset whose columns have the given values, in the order of the dataset. list_datasets names the datasets and what they need; open datasets need no key, others a plan and scopes. Data is of the newest published version, or that of `as_of`. At most 100 rows and 25 kB an answer, then `cursor`. Datasets beyond 32 MB are read as files.',
  input,
  output: answerSchema(Type.Array(DatasetRowSchema), {
    dataset: Type.String(),
    columns: Type.Array(Type.String(), { description: 'All columns of the dataset' }),
    total: Type.Integer({ minimum: 0, description: 'Rows that match, over all pages' }),
    unmatched: unmatchedSchema,
  }),
  access: getDataset.access,
  accessOf: ({ dataset }, services) => accessTo(String(dataset), services),
  call: query,
};

const accessTo = (id: string, services: Services): Access =>
  getDataset.accessOf?.({ id }, services) ?? getDataset.access;

interface Query {
  readonly dataset: string;
  readonly where?: Where;
  readonly columns?: readonly string[];
  readonly as_of?: string;
}

async function query(args: Arguments, call: ToolCall): Promise<Answer> {
  const { limit = ROWS.usual, cursor, ...own } = args;
  const { dataset, where = {}, columns, as_of } = own as unknown as Query;
  const { services, caller } = call;
  authorize(accessTo(dataset, services), caller, services.upgradeUrl);
  const filterHash = filterHashOf({ tool: 'query_dataset', ...own });
  const start = cursor === undefined ? undefined : cursorOf(String(cursor), filterHash);
  const manifest = await services.datasets.manifestAt(
    start === undefined ? { as_of } : { version: start.version },
  );
  const { rows, entry, known } = await rowsOf(dataset, manifest, call);
  checkColumns('where', Object.keys(where), known);
  checkColumns('columns', columns ?? [], known);
  const found = rows.filter((row) => matches(row, where));
  const unmatched = unmatchedMember(unmatchedIn(rows, where));
  const from = start?.offset ?? 0;
  return boundedAnswer(Number(limit), `GET ${pathOf(dataset)}`, async (wanted) => {
    const shown = found.slice(from, from + wanted).map((row) => picked(row, columns));
    const offset = from + shown.length;
    const { version } = manifest;
    const answer = {
      ...headOf(manifest),
      provenance: provenanceOf(entry, services),
      data: shown,
      meta: { dataset, columns: known.slice(0, MAX_COLUMNS), total: found.length, ...unmatched },
      cursor: offset < found.length ? writeCursor({ version, offset, filterHash }) : null,
      link: linkTo(pathOf(dataset), {}, manifest),
    };
    return { answer, rows: shown };
  });
}

const pathOf = (dataset: string): string => `/v2/datasets/${encodeURIComponent(dataset)}`;

/** @throws Failure as the endpoint of the dataset does */
async function rowsOf(
  id: string,
  { version, datasets }: Manifest,
  { services, caller, requestId, once }: ToolCall,
) {
  const entry = Object.hasOwn(datasets, id) ? datasets[id] : undefined;
  if (entry !== undefined && entry.bytes > MAX_BYTES)
    throw parameterFailure(
      'dataset',
      `names a dataset that is too long to be queried; read it at ${pathOf(id)}`,
    );
  let payload: unknown;
  await once({ endpoint: getDataset, sent: undefined }, async (commit) => {
    const given = { params: { id: `${id}.json` }, query: { version }, body: {}, caller, requestId, commit };
    const reply = await getDataset.handle(given, services);
    payload = reply.payload;
    return reply;
  });
  const table = await services.datasets.table(version, id);
  if (!Buffer.isBuffer(payload) || table === null) throw new TypeError(`The dataset ${id} has no rows.`);
  const { properties = {} } = table.row as { readonly properties?: Row };
  return { rows: parsed(payload), entry, known: [...new Set([...table.key, ...Object.keys(properties)])] };
}

/** A rendered form is cached as one buffer, so its rows are parsed once. */
const parsed = oncePer((bytes: Buffer) => JSON.parse(bytes.toString()) as readonly Row[]);

/** @throws Failure that names the columns there are */
function checkColumns(argument: string, names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((one) => !known.includes(one));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  const meant = nearest === null ? '.' : `; did you mean ${nearest}?`;
  throw parameterFailure(
    argument,
    `names ${unknown}, which is no column of the dataset${meant} Columns: ${known.join(', ')}`,
  );
}

const matches = (row: Row, where: Where): boolean =>
  Object.entries(where).every(([column, wanted]) => {
    const value = foldCase(row[column] ?? null);
    return (Array.isArray(wanted) ? wanted : [wanted]).some((one) => foldCase(one) === value);
  });

/** The values that no row has in their column, whatever the other columns. */
const unmatchedIn = (rows: readonly Row[], where: Where): readonly FilterValue[] =>
  Object.entries(where).flatMap(([column, wanted]) => {
    const values = new Set(rows.map((row) => foldCase(row[column] ?? null)));
    const given: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
    return given
      .filter((one) => !values.has(foldCase(one)))
      .map((one) => ({ parameter: column, facet: column, value: String(one) }));
  });

const foldCase = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);

const picked = (row: Row, columns: readonly string[] | undefined): Row =>
  columns === undefined ? row : Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
