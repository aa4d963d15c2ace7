// The tool that answers first: the verdict of the service, why, and the open conditions, worst first.
import { ConditionSchema } from '../../schemas/conditions.ts';
import { Nullable, Strict, Type } from '../../schemas/define.ts';
import { uncheckedSchema, unmatchedSchema } from '../../schemas/envelopes.ts';
import { OpenConditionsSchema, SERVICE_STATUSES, StatusReasonSchema } from '../../schemas/service-status.ts';
import { filterHashOf, writeCursor } from '../data/paging/list-page.ts';
import { currentVersion } from '../define/missing-data.ts';
import { CONDITIONS } from '../replies/condition-inputs.ts';
import { SOURCE_READINGS } from '../replies/source-readings.ts';
import { servicesThen, verdictOf } from '../replies/verdict.ts';
import { listConditions } from '../routes/conditions.ts';
import { getStatus } from '../routes/operations.ts';
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

const MAX_REASONS = 10;

export const whatIsWrongNow: Tool = {
  name: 'what_is_wrong_now',
  title: 'What is wrong now',
  description:
    'The verdict of the service first (`data.headline`: what is open, and what can be judged at all), then the open conditions, worst first: everything that began and has not ended, with the rule it broke and the markets and dollars it affects. `data.conditions` is null if it is not known what is open: that is not “nothing”. Data is of the newest published version, usually minutes old. At most 100 rows and 25 kB an answer, then `cursor`. No key needed.',
  input: Strict({
    ...listConditions.query.properties,
    limit: limitArgument,
    cursor: cursorArgument,
    as_of: asOfArgument,
  }),
  output: answerSchema(
    Strict({
      status: Type.Enum([...SERVICE_STATUSES]),
      headline: Type.String({ description: 'What to say first: quote it' }),
      open_conditions: Nullable(OpenConditionsSchema),
      reasons: Type.Array(StatusReasonSchema, {
        description: `Why the status is not \`ok\`, at most ${MAX_REASONS}; \`meta.reasons\` counts all`,
      }),
      conditions: Nullable(Type.Array(ConditionSchema)),
    }),
    {
      reasons: Type.Integer({ minimum: 0 }),
      total: Nullable(Type.Integer({ minimum: 0, description: 'Conditions that match; null if unknown' })),
      unmatched: unmatchedSchema,
      unchecked: uncheckedSchema,
    },
  ),
  access: 'open',
  call: answer,
};

async function answer(args: Arguments, call: ToolCall): Promise<Answer> {
  const { limit = ROWS.usual, cursor, as_of, ...filter } = args;
  const filterHash = filterHashOf({ tool: 'what_is_wrong_now', ...filter, as_of });
  const start = cursor === undefined ? undefined : cursorOf(String(cursor), filterHash);
  const moment = start === undefined ? { as_of: as_of as string | undefined } : { version: start.version };
  const isPast = start !== undefined || as_of !== undefined;
  const services = isPast
    ? await servicesThen(call.services, moment, [CONDITIONS, SOURCE_READINGS])
    : call.services;
  const { manifest, dataset } = currentVersion(services);
  const verdict = verdictOf(services);
  const { open_conditions } = verdict;
  const { data: rows, strange } =
    open_conditions === null ? NOT_KNOWN : await conditionsOf(filter, { ...call, services });
  const from = start?.offset ?? 0;
  return boundedAnswer(Number(limit), `GET ${listConditions.path}`, async (wanted) => {
    const conditions = rows?.slice(from, from + wanted) ?? null;
    const offset = from + (conditions?.length ?? 0);
    const hasMore = rows !== null && offset < rows.length;
    const { status, headline, reasons } = verdict;
    const data = { status, headline, open_conditions, reasons: reasons.slice(0, MAX_REASONS), conditions };
    return {
      answer: {
        ...headOf(manifest),
        provenance: provenanceOf(dataset(CONDITIONS)?.entry, services),
        data,
        meta: { reasons: reasons.length, total: rows?.length ?? null, ...strange },
        cursor: hasMore ? writeCursor({ version: manifest.version, offset, filterHash }) : null,
        link: linkTo(
          conditions === null ? getStatus.path : listConditions.path,
          conditions === null ? {} : filter,
          manifest,
        ),
      },
      rows: conditions,
    };
  });
}

const NOT_KNOWN = { data: null, strange: {} };

async function conditionsOf(query: Arguments, { services, caller, requestId, once }: ToolCall) {
  const rendered = await once({ endpoint: listConditions, sent: undefined }, async (commit) =>
    listConditions.handle({ params: {}, query, body: {}, caller, requestId, commit }, services),
  );
  const { data, meta } = JSON.parse(rendered.body.toString()) as {
    readonly data: readonly unknown[];
    readonly meta: { readonly total: number } & Readonly<Record<string, unknown>>;
  };
  const { total: _, _agentic: __, ...strange } = meta;
  return { data, strange };
}
