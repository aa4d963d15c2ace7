// The endpoint of a series. One definition serves all histories, so that they share parameters, forms and errors.
import type { TObject } from 'typebox';
import { DAY_S } from '../../platform/base/time.ts';
import { Strict, type TSchema, Type } from '../../schemas/define.ts';
import type { ErrorCode } from '../../schemas/errors.ts';
import {
  columnsAt,
  type Resolution,
  resolutionsOf,
  SERIES_DEFAULT_DAYS,
  type SeriesDefinition,
  V2Series,
} from '../../schemas/series.ts';
import { type DatasetEntry, datasetsAsOf, type Manifest } from '../../snapshots/layout.ts';
import type { Access, AccessRule } from '../define/caller.ts';
import { defineEndpoint, type Endpoint, type Reply } from '../define/endpoint.ts';
import { missingIn } from '../define/missing-data.ts';
import { asOfParameter, instantParameter, secondsBetween } from '../define/parameters.ts';
import type { Tag } from '../define/tags.ts';
import { FORMS } from '../replies/dataset-form.ts';
import { documentKeys } from '../replies/document-reply.ts';
import type { Services } from '../services.ts';
import { readSeries, type SeriesRange, type SeriesReading } from './read-series.ts';
import { formatParameter, formOf, NEGOTIATED, renderSeries, type SeriesForm } from './series-forms.ts';

const ERRORS: readonly ErrorCode[] = ['invalid_request', 'not_found', 'unavailable', 'internal_error'];

interface SeriesEndpoint<P extends TObject> {
  readonly tag: Tag;
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  /** Access to points as observed, if only hours and days are open. */
  readonly rawAccess?: AccessRule;
  /** Definitions of one grain. The first one that has the subject is used. */
  readonly definitions: readonly [SeriesDefinition, ...SeriesDefinition[]];
  readonly params: P;
  /** Query parameters that also identify the subject. */
  readonly filters?: Readonly<Record<string, TSchema>>;
  /** Datasets that require the same access as the history. */
  readonly datasets?: readonly string[];
  /** The default resolution: an hour, or a day if there is nothing finer. */
  readonly resolution?: Resolution;
  /** Key of the subject's document. */
  keyOf(params: Readonly<Record<string, string>>): string;
  /** Parameters for a key; undefined if the path cannot name the key. */
  paramsOf(key: string): Readonly<Record<string, string>> | undefined;
}

interface SeriesQuery {
  readonly from?: string;
  readonly to?: string;
  readonly resolution?: Resolution;
  readonly format?: SeriesForm;
  readonly as_of?: string;
}

export function seriesEndpoint<P extends TObject>(series: SeriesEndpoint<P>): Endpoint {
  const { tag, path, summary, access, rawAccess, definitions, params, datasets, filters } = series;
  return defineEndpoint<TObject, TObject>({
    method: 'GET',
    tag,
    path,
    summary,
    ...(datasets && { datasets }),
    histories: definitions,
    access,
    ...(rawAccess && {
      accessOf: (_params, _services, query) =>
        isRaw(series, query?.getAll('resolution')) ? rawAccess : access,
    }),
    isBrowsed: access === 'open',
    envelope: 'v2',
    cache: 'shared',
    isDaily: true,
    ...NEGOTIATED,
    params,
    query: Strict({ ...filters, ...queryOf(series) }),
    response: V2Series(),
    errors: rawAccess === undefined ? ERRORS : ['missing_auth', 'insufficient_scope', ...ERRORS],
    handle: ({ params: given, query, accept }, services) =>
      reply(series, services, {
        key: series.keyOf({ ...(query as object), ...given } as Readonly<Record<string, string>>),
        query: query as SeriesQuery,
        accept,
      }),
    *mirror(services) {
      for (const { dataset } of definitions)
        for (const key of documentKeys(services, dataset)) {
          const named = series.paramsOf(key);
          if (named !== undefined) yield named;
        }
    },
  });
}

const defaultOf = ({ definitions: [{ grain }], resolution }: SeriesEndpoint<TObject>): Resolution =>
  resolution ?? (grain === 'daily' ? '1d' : '1h');

/** Whether any of the values is `raw`. Several values are refused later, so one is enough here. */
const isRaw = (series: SeriesEndpoint<TObject>, given: readonly string[] = []): boolean =>
  (given.length > 0 ? given : [defaultOf(series)]).includes('raw');

function queryOf(series: SeriesEndpoint<TObject>): Record<string, TSchema> {
  const [definition] = series.definitions;
  const known: readonly string[] = definition.grain === 'daily' ? ['raw', '1d'] : resolutionsOf(definition);
  const days = resolutionsOf(definition).map((name) => `${SERIES_DEFAULT_DAYS[name]} days for ${name}`);
  return {
    from: instantParameter(`Points at or after this time; default: ${days.join(', ')}`),
    to: instantParameter('Points at or before this time; default: the time of the version'),
    resolution: Type.Optional(
      Type.Enum([...known], {
        default: defaultOf(series),
        description: `\`raw\`: as observed; \`1h\`, \`1d\`: one point per hour or UTC day${closedText(series.rawAccess)}`,
      }),
    ),
    format: formatParameter('points'),
    as_of: asOfParameter,
  };
}

const closedText = (rule: AccessRule | undefined): string =>
  rule === undefined ? '' : `; \`raw\` requires a key with the scope \`${rule.scope}\``;

async function reply(
  series: SeriesEndpoint<TObject>,
  services: Services,
  request: { readonly key: string; readonly query: SeriesQuery; readonly accept: string | undefined },
): Promise<Reply> {
  const { query } = request;
  const form = formOf({ format: query.format, accept: request.accept });
  const { from, to } = secondsBetween(query);
  const manifest = await services.datasets.manifestAt({ as_of: query.as_of });
  const [{ grain }] = series.definitions;
  const resolution = grain === 'daily' ? '1d' : (query.resolution ?? defaultOf(series));
  const range = rangeOf(manifest, { from, to, resolution });
  const isPrivate = series.rawAccess !== undefined && resolution === 'raw';
  for (const definition of series.definitions) {
    const contents = await find(services, manifest, { definition, key: request.key, range });
    if (contents !== undefined) {
      const partialDay = partialDayOf(contents, manifest);
      return { ...(await replyWith(services, contents, form)), isPrivate, partialDay };
    }
  }
  const served = { manifest, isPast: query.as_of !== undefined };
  const failures = await Promise.all(
    series.definitions.map(({ dataset }) => missingIn(services, served, { dataset, key: request.key })),
  );
  // While one of the datasets is not there, it is not known that there is no such subject.
  throw failures.find(({ code }) => code === 'unavailable') ?? failures[0];
}

/** The day of the last point, if it has one point for the day and the day was not over at the time of the data. */
function partialDayOf({ range, read }: SeriesContents, manifest: Manifest): string | undefined {
  const day = datasetsAsOf(manifest).slice(0, 10);
  const last = read.t.at(-1);
  const isPartial =
    range.resolution === '1d' && last !== undefined && last >= Date.parse(`${day}T00:00:00Z`) / 1_000;
  return isPartial ? day : undefined;
}

interface Sought {
  readonly definition: SeriesDefinition;
  readonly key: string;
  readonly range: SeriesRange;
}

interface SeriesContents extends Sought {
  readonly entry: DatasetEntry;
  readonly columns: ReturnType<typeof columnsAt>;
  readonly read: SeriesReading;
}

/** A subject that is no longer listed may still have a history. Undefined if there is neither. */
async function find(
  services: Services,
  manifest: Manifest,
  sought: Sought,
): Promise<SeriesContents | undefined> {
  const { definition, key, range } = sought;
  const { dataset } = definition;
  const entry = Object.hasOwn(manifest.datasets, dataset) ? manifest.datasets[dataset] : undefined;
  if (entry === undefined) return undefined;
  const columns = columnsAt(definition, range.resolution);
  const wanted = { dataset, entry, key, columns: Object.keys(columns) };
  const read = await readSeries(services.series, wanted, range);
  const isEmpty = read.pointsBefore === 0 && read.gaps.length === 0;
  if (isEmpty || read.files.length === 0) {
    const loaded = await services.versions.datasetOf(dataset, manifest);
    if (loaded?.documents.get(key) === undefined) return undefined;
  }
  return { ...sought, entry, columns, read };
}

async function replyWith(services: Services, contents: SeriesContents, form: SeriesForm): Promise<Reply> {
  const { definition, key, range, entry, columns, read } = contents;
  const { dataset } = definition;
  const { resolution } = range;
  const identity = services.identify(
    JSON.stringify([read.files, key, range, form, entry.quality_gate.verdict]),
  );
  if (form !== 'json') {
    const fileName = `${dataset}-${key.replaceAll(/[^A-Za-z0-9.-]+/g, '-')}.${form}`;
    const payload = await renderSeries(form, columns, read);
    return { payload, media: { ...FORMS[form], fileName }, identity };
  }
  const { t, columns: values, gaps, pointsBefore } = read;
  const payload = { t, columns: values, gaps, resolution, is_thinned: t.length < pointsBefore };
  const meta = {
    dataset,
    key,
    from: range.from,
    to: range.to,
    points: t.length,
    points_before_thinning: pointsBefore,
    columns: described(columns),
  };
  return { payload, meta, about: entry, identity };
}

const described = (columns: ReturnType<typeof columnsAt>) =>
  Object.fromEntries(
    Object.entries(columns).map(([name, { kind, unit, description }]) => [name, { kind, unit, description }]),
  );

export function rangeOf(
  manifest: Manifest,
  {
    from,
    to,
    resolution,
  }: { readonly from: number | undefined; readonly to: number | undefined; readonly resolution: Resolution },
): SeriesRange {
  const end = to ?? Math.floor(Date.parse(datasetsAsOf(manifest)) / 1000);
  const start = from ?? end - SERIES_DEFAULT_DAYS[resolution] * DAY_S;
  return { resolution, from: Math.max(0, Math.ceil(start)), to: Math.max(0, Math.floor(end)) };
}
