// The shared list of behaviours, and how the TypeScript client carries them out. An outcome is plain JSON, the same from every client.
import { readFileSync } from 'node:fs';
import type { Answer } from '../../packages/client/src/answer.ts';
import {
  ApiError,
  Client,
  ConnectionError,
  GapError,
  type GetPath,
  type HistoryPath,
  InvalidAnswerError,
  type ListPath,
  RefusedError,
  verifyWebhook,
  WebhookError,
} from '../../packages/client/src/client.ts';
import type { Faults } from './fault-proxy.ts';

export interface Behaviour extends Faults {
  readonly name: string;
  readonly do: string;
  readonly key?: string | null;
  readonly expect: Readonly<Record<string, unknown>>;
  readonly [input: string]: unknown;
}

/** A behaviour with the address, the key and the delivery to carry it out with. */
export interface Task {
  readonly do: string;
  readonly base_url: string;
  readonly key: string | null;
  readonly path?: string;
  readonly params?: object;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: object;
  readonly max?: number;
  readonly remembered?: number;
  readonly protocol?: string;
  readonly event?: string;
  readonly since?: string;
  readonly types?: readonly string[];
  readonly accepts_gap?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly secrets?: readonly string[];
  readonly now_s?: number;
}

export type Outcome = Readonly<Record<string, unknown>>;

export function readBehaviours(): readonly Behaviour[] {
  const file = new URL('../../packages/behaviours.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly behaviours: readonly Behaviour[] }).behaviours;
}

export async function outcomeOf(task: Task): Promise<Outcome> {
  const waits: number[] = [];
  const client = new Client({
    baseUrl: task.base_url,
    key: task.key ?? undefined,
    rememberedAnswers: task.remembered ?? 0,
    retry: { wait: async (ms) => void waits.push(ms / 1_000) },
  });
  try {
    const did = ACTIONS[task.do];
    if (did === undefined) throw new Error(`There is no action ${task.do}.`);
    return { ...(await did(client, task)), waits };
  } catch (error) {
    return { error: problemOf(error), waits };
  }
}

const ACTIONS: Readonly<Record<string, (client: Client, task: Task) => Promise<Outcome>>> = {
  // The paths of the list are those of the API; that they have these types is for the compiler to check in other tests.
  get: async (client, task) => answered(await client.get(task.path as GetPath, inputOf(task))),
  'get twice': async (client, task) => {
    await client.get(task.path as GetPath, inputOf(task));
    return answered(await client.get(task.path as GetPath, inputOf(task)));
  },
  list: async (client, task) => rowsOf(await client.list(task.path as ListPath, inputOf(task)).all(task.max)),
  history: async (client, task) => {
    const history = await client.history(task.path as HistoryPath, inputOf(task));
    return {
      ...answered(history),
      ...rowsOf(history.rows),
      gaps: history.gaps.length,
      thinned: history.isThinned,
    };
  },
  receipts: async (client, task) => answered(await client.receipts(task.protocol ?? '')),
  evidence: async (client, task) => answered(await client.evidence(task.event ?? '')),
  download: async (client, task) => ({
    text_start: new TextDecoder().decode((await client.download(task.path ?? '')).bytes).slice(0, 6),
  }),
  events: async (client, task) => ({ ids: await idsOf(client.events(task.query), task.max) }),
  post: async (client, task) => answered(await client.post('/v2/webhooks', { body: task.body as never })),
  'post twice': async (client, task) => {
    const input = { body: task.body as never, idempotencyKey: `twice-${task.base_url}` };
    const first = await client.post('/v2/webhooks', input);
    const again = await client.post('/v2/webhooks', input);
    return { is_same_id: first.data.id === again.data.id };
  },
  follow: async (client, task) => {
    const gaps: GapError[] = [];
    const onGap = task.accepts_gap === true ? { onGap: (gap: GapError) => void gaps.push(gap) } : {};
    const following = { since: task.since ?? '', types: task.types ?? [], pauseMs: () => 10, ...onGap };
    return { ids: await idsOf(client.follow(following), task.max), gaps: gaps.length };
  },
  verify: async (_, { headers = {}, text = '', secrets = [], now_s = 0 }) => ({
    data: await verifyWebhook({ headers, body: text }, { secrets, nowSeconds: now_s }),
  }),
};

const inputOf = ({ params = {}, query = {} }: Task) => ({ params, query }) as never;

function answered(answer: Answer<unknown>): Outcome {
  const { data, status, freshness, asOf, gate, partialDay, requestId, isUnchanged } = answer;
  return {
    ...(Array.isArray(data) ? rowsOf(data) : {}),
    data,
    status,
    freshness: freshness?.status ?? null,
    as_of: asOf,
    gate: gate?.verdict ?? null,
    partial_day: partialDay,
    request_id: requestId !== null,
    unchanged: isUnchanged,
  };
}

const rowsOf = (rows: readonly unknown[]): Outcome => ({
  count: rows.length,
  first: rows[0] ?? null,
  last: rows.at(-1) ?? null,
});

async function idsOf(
  events: AsyncIterable<{ readonly event_id: string }>,
  max = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const { event_id } of events) {
    ids.push(event_id);
    if (ids.length >= max) break;
  }
  return ids;
}

function problemOf(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ApiError) {
    const { status, code, details, requestId, retryAfterSeconds } = error;
    const about = { request_id: requestId !== null, retry_after_s: retryAfterSeconds };
    return { kind: 'ApiError', message, status, code, details, ...about };
  }
  if (error instanceof InvalidAnswerError) return { kind: error.name, message, status: error.status };
  if (error instanceof RefusedError) return { kind: error.name, message, code: error.code };
  if (error instanceof WebhookError) return { kind: error.name, message, problem: error.problem };
  if (error instanceof ConnectionError || error instanceof GapError) return { kind: error.name, message };
  return { kind: 'ArgumentError', message };
}
