// What changed between two published versions (decision 87): open to all callers.
import {
  ChangeCountsSchema,
  ComparedVersionSchema,
  ConditionChangeSchema,
  UncomparedDatasetSchema,
} from '../../schemas/changes.ts';
import { Strict, Type } from '../../schemas/define.ts';
import { AgenticSchema } from '../../schemas/envelopes.ts';
import { isoOf } from '../../platform/base/time.ts';
import { datasetsAsOf, type Manifest } from '../../snapshots/layout.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { Failure, parameterFailure } from '../define/failure.ts';
import { currentVersion, missingDataset } from '../define/missing-data.ts';
import { momentOf, momentParameter } from '../define/parameters.ts';
import type { Moment, Services } from '../services.ts';
import { TAGS } from '../define/tags.ts';
import { changesBetween } from '../replies/condition-changes.ts';
import { CONDITIONS, conditionsAt, uncomparedIn } from '../replies/condition-inputs.ts';

const USUAL_SECONDS = 86_400;
const LIMIT = { usual: 100, max: 1_000 } as const;

export const listChanges = defineEndpoint({
  method: 'GET',
  path: '/v2/changes',
  tag: TAGS.events,
  summary:
    'What changed between two versions: conditions that opened, closed, became worse or better, and those of which a version cannot say',
  datasets: [CONDITIONS],
  access: 'open',
  isBrowsed: true,
  envelope: 'v2',
  cache: 'shared',
  params: Strict({}),
  query: Strict({
    from: momentParameter('Earlier version; without it, that of 24 hours before `to`, or the oldest one'),
    to: momentParameter('Later version; without it, the newest one, or that of `as_of`'),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMIT.max,
        default: LIMIT.usual,
        description: 'Maximum number of changes to list; `meta.counts` counts all',
      }),
    ),
  }),
  response: Strict({
    data: Type.Array(ConditionChangeSchema, { description: 'By kind of change, then worst first' }),
    meta: Strict({
      total: Type.Integer({ minimum: 0, description: 'Changes, listed or not' }),
      has_more: Type.Boolean({ description: 'Not all changes are listed' }),
      counts: ChangeCountsSchema,
      from: ComparedVersionSchema,
      to: ComparedVersionSchema,
      not_compared: Type.Array(UncomparedDatasetSchema, {
        description:
          'Datasets that one of the versions lacks or holds back; what depends on them is `unknown`',
      }),
      _agentic: AgenticSchema,
    }),
    error: Type.Null(),
  }),
  errors: ['invalid_request', 'validation_failed', 'not_found', 'unavailable', 'internal_error'],
  async handle({ query }, services) {
    const { from, to } = await comparedVersions(services, query);
    const entry = to.datasets[CONDITIONS] ?? from.datasets[CONDITIONS];
    const isPast = query.to !== undefined || services.versions.asOfVersion !== undefined;
    if (entry === undefined) throw missingDataset({ manifest: to, isPast }, CONDITIONS);
    const { changes, counts } = changesBetween(
      await conditionsAt(services, from),
      await conditionsAt(services, to),
    );
    const limit = query.limit ?? LIMIT.usual;
    const meta = {
      total: changes.length,
      has_more: changes.length > limit,
      counts,
      from: { version: from.version, as_of: datasetsAsOf(from) },
      to: { version: to.version, as_of: datasetsAsOf(to) },
      not_compared: [...uncomparedIn(from, 'from'), ...uncomparedIn(to, 'to')],
    };
    const identity = services.identify(`${from.version} ${to.version} ${limit}`);
    return { payload: changes.slice(0, limit), meta, about: entry, identity };
  },
});

async function comparedVersions(
  services: Services,
  range: { readonly from?: string | undefined; readonly to?: string | undefined },
) {
  const [begin, end] = [momentOf('from', range.from), momentOf('to', range.to)];
  if (begin?.as_of !== undefined && Date.parse(begin.as_of) > services.nowMs())
    throw parameterFailure('from', 'is in the future: nothing can have changed since');
  if (begin?.as_of !== undefined && end?.as_of !== undefined && begin.as_of > end.as_of)
    throw parameterFailure('from', 'is after to: exchange them');
  const to = end === undefined ? currentVersion(services).manifest : await versionOf(services, 'to', end);
  const from =
    begin === undefined ? await usualStart(services, to) : await versionOf(services, 'from', begin);
  if (from.version > to.version)
    throw parameterFailure('from', `selects version ${from.version}, later than ${to.version} of to`);
  return { from, to };
}

/** The version of a moment. @throws Failure `not_found` that names the oldest version and how to select it */
async function versionOf(services: Services, parameter: string, moment: Moment): Promise<Manifest> {
  try {
    return await services.datasets.manifestAt(moment);
  } catch (cause) {
    const { version, as_of } = await oldestInstead(services, cause);
    throw new Failure(
      'not_found',
      `${parameter}: no such version is available. The oldest is of ${as_of}; ${parameter}=${version} selects it.`,
      { cause, details: { parameter, oldest_as_of: as_of, oldest_version: version } },
    );
  }
}

/** The version of 24 hours before, or the oldest one if none is that old. */
async function usualStart(services: Services, to: Manifest): Promise<Manifest> {
  const as_of = isoOf(Date.parse(datasetsAsOf(to)) / 1000 - USUAL_SECONDS);
  try {
    return await services.datasets.manifestAt({ as_of });
  } catch (cause) {
    const { version } = await oldestInstead(services, cause);
    return services.datasets.manifestAt({ version });
  }
}

/** The oldest version, if the fault is that a version does not exist. @throws `cause` otherwise */
async function oldestInstead({ datasets }: Services, cause: unknown) {
  const isMissing = cause instanceof Failure && cause.code === 'not_found';
  const oldest = isMissing ? (await datasets.kept()).at(-1) : undefined;
  if (oldest === undefined) throw cause;
  return oldest;
}
