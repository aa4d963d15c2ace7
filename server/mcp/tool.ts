// The contract of a tool for agents, and the form of its answers: data of one version, how far it can be trusted, a cursor where rows were
// cut, and one link that reproduces it.
import type { TObject, TSchema } from 'typebox';
import { IsoTime, Nullable, Strict, Type } from '../../schemas/define.ts';
import { FreshnessSchema, isSimulated, QualityGateSchema } from '../../schemas/provenance.ts';
import { type DatasetEntry, datasetsAsOf, type Manifest } from '../../snapshots/layout.ts';
import type { Access, Caller } from '../define/caller.ts';
import type { Commit, Endpoint, Reply } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import type { RequestBody } from '../http/request-body.ts';
import type { RenderedResponse } from '../replies/rendered-response.ts';
import type { Services } from '../services.ts';

/** Validated arguments of a call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** One call of a tool. */
export interface ToolCall {
  readonly caller: Caller;
  readonly requestId: string;
  readonly services: Services;
  /** Performs a run of an endpoint at most once per idempotency key of the request. */
  once(
    run: { readonly endpoint: Endpoint; readonly sent: RequestBody | undefined },
    handle: (commit: Commit) => Promise<Reply>,
  ): Promise<RenderedResponse>;
}

export interface Answer {
  /** Of the data, ISO 8601 UTC. */
  readonly as_of: string;
  readonly version: string;
  readonly provenance: object | null;
  readonly data: unknown;
  readonly meta: Readonly<Record<string, unknown>>;
  /** For the next rows; null if none follow. */
  readonly cursor: string | null;
  /** Path and query under which the answer can be read again; the server makes it absolute. */
  readonly link: string;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the agent: what it answers, how fresh, with which limits, at which cost. */
  readonly description: string;
  readonly input: TObject;
  readonly output: TObject;
  /** The lowest access that a call needs. */
  readonly access: Access;
  accessOf?(args: Arguments, services: Services): Access;
  /** @throws Failure */
  call(args: Arguments, call: ToolCall): Promise<Answer>;
}

/** Maximum length of an answer, bytes of JSON: about 8,000 tokens. */
export const MAX_ANSWER_BYTES = 25_000;
export const ROWS = { usual: 20, max: 100 } as const;

/** For the address of this server, with which it makes a link absolute. */
const MAX_ORIGIN_BYTES = 300;

export const asOfArgument = Type.Optional(
  Type.String({
    description:
      'Answer from the newest published version that is not later than this time (ISO 8601 UTC); default: the newest version',
    format: 'date-time',
    pattern: 'Z$',
    maxLength: 40,
  }),
);
export const cursorArgument = Type.Optional(
  Type.String({
    description: '`cursor` of the previous answer, with the same other arguments',
    maxLength: 500,
  }),
);
export const limitArgument = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: ROWS.max,
    default: ROWS.usual,
    description: 'Maximum number of rows; fewer if the answer would be longer than 25 kB',
  }),
);

const ProvenanceSchema = Strict(
  {
    freshness: FreshnessSchema,
    quality_gate: QualityGateSchema.properties.verdict,
    failed_checks: Type.Array(Type.String(), { description: 'Checks that do not pass, at most ten' }),
    confidence: Type.Enum(['high', 'medium', 'low']),
    is_simulated: Type.Boolean({ description: 'The data is generated, as in the demo: never act on it' }),
    sources: Type.Integer({ minimum: 0, description: 'Number of sources; the link lists them' }),
  },
  'How far the data can be trusted',
);

/** The schema of answers with this data. `meta`: members in addition to the common ones. */
export const answerSchema = (data: TSchema, meta: Readonly<Record<string, TSchema>> = {}): TObject =>
  Strict({
    as_of: IsoTime('Time of the data'),
    version: Type.String({ description: 'Version of the data' }),
    provenance: Nullable(ProvenanceSchema),
    data,
    meta: Strict(meta),
    cursor: Nullable(Type.String({ description: 'Pass as `cursor` for the next rows; null if none follow' })),
    link: Type.String({ description: 'Reproduces this answer: cite it' }),
  });

const MAX_CHECKS = 10;

export function provenanceOf(entry: DatasetEntry | undefined, services: Services): object | null {
  if (entry === undefined) return null;
  const { quality_gate: gate, confidence, sources } = entry;
  return {
    freshness: services.freshness(entry),
    quality_gate: gate.verdict,
    failed_checks: gate.checks
      .filter(({ verdict }) => verdict !== 'pass')
      .slice(0, MAX_CHECKS)
      .map(({ name, detail }) => (detail === null ? name : `${name}: ${detail}`)),
    confidence: confidence.level,
    is_simulated: sources.some(isSimulated),
    sources: sources.length,
  };
}

export const headOf = (manifest: Manifest): Pick<Answer, 'as_of' | 'version'> => ({
  as_of: datasetsAsOf(manifest),
  version: manifest.version,
});

/** `path?name=value&as_of=…`: the answer of the API, from the same version. */
export function linkTo(path: string, query: Arguments, manifest: Manifest): string {
  const named = Object.entries({ ...query, as_of: manifest.as_of });
  const given = named.flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return `${path}?${new URLSearchParams(given)}`;
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/**
 * An answer within the limit: with fewer rows if need be. `read` answers with at most that number of rows. `instead`: where a longer answer is
 * available.
 * @throws Failure if a single row is too long
 */
export async function boundedAnswer(
  limit: number,
  instead: string,
  read: (limit: number) => Promise<{ readonly answer: Answer; readonly rows: readonly unknown[] | null }>,
): Promise<Answer> {
  for (let wanted = limit; ; ) {
    const { answer, rows } = await read(wanted);
    const size = sizeOf(answer) + MAX_ORIGIN_BYTES;
    if (size <= MAX_ANSWER_BYTES) return answer;
    const fitting = rows === null ? 0 : countWithin(rows, MAX_ANSWER_BYTES - size + sizeOf(rows));
    if (fitting === 0) throw tooLong(instead);
    wanted = Math.min(fitting, wanted - 1);
  }
}

function countWithin(rows: readonly unknown[], bytes: number): number {
  let used = 2;
  const index = rows.findIndex((row) => {
    used += sizeOf(row) + 1;
    return used > bytes;
  });
  return index === -1 ? rows.length : index;
}

const tooLong = (instead: string): Failure =>
  new Failure(
    'validation_failed',
    `The answer is longer than ${MAX_ANSWER_BYTES} bytes: ask for less, or use ${instead}.`,
  );
