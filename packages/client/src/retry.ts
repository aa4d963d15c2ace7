// A fetch with the retries that the API specifies: 429 and requests in flight after `Retry-After`, 5xx and broken connections after growing
// pauses, nothing else. Writes carry an idempotency key, so a retry has no second effect.

export interface RetryRules {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly wait: (ms: number) => Promise<void>;
  /** 0 to 1. Spreads the retries of clients that failed at the same time. */
  readonly random: () => number;
  readonly newKey: () => string;
  /** Maximum number of requests, including the first. */
  readonly attempts: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

export const USUAL_RULES: RetryRules = {
  fetch: (request) => fetch(request),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: Math.random,
  newKey: () => crypto.randomUUID(),
  attempts: 5,
  firstPauseMs: 500,
  longestPauseMs: 30_000,
};

export function retryingFetch(rules: RetryRules = USUAL_RULES): (request: Request) => Promise<Response> {
  return async (given) => {
    const request = withIdempotencyKey(given, rules.newKey);
    for (let attempt = 1; ; attempt++) {
      const outcome = await tryOnce(request, rules);
      const pauseMs = attempt < rules.attempts ? await pauseAfter(outcome, attempt, rules) : undefined;
      if (pauseMs === undefined) return settled(outcome);
      await rules.wait(pauseMs);
    }
  };
}

function withIdempotencyKey(request: Request, newKey: () => string): Request {
  const isProtected = request.method === 'POST' || request.method === 'PATCH';
  if (!isProtected || request.headers.has('X-Idempotency-Key')) return request;
  const headers = new Headers(request.headers);
  headers.set('X-Idempotency-Key', newKey());
  return new Request(request, { headers });
}

type Outcome = { readonly response: Response } | { readonly broken: unknown };

async function tryOnce(request: Request, rules: RetryRules): Promise<Outcome> {
  try {
    return { response: await rules.fetch(request.clone()) };
  } catch (broken) {
    return { broken };
  }
}

function settled(outcome: Outcome): Response {
  if ('response' in outcome) return outcome.response;
  throw new Error('The service cannot be reached', { cause: outcome.broken });
}

/** Milliseconds until the next attempt; undefined if a retry would not help. */
async function pauseAfter(outcome: Outcome, attempt: number, rules: RetryRules): Promise<number | undefined> {
  if ('broken' in outcome) return backOff(attempt, rules);
  const { response } = outcome;
  const askedMs = retryAfterMs(response);
  if (response.status >= 500) return Math.max(askedMs ?? 0, backOff(attempt, rules));
  if (response.status === 429) return askedMs;
  return response.status === 409 && (await isInFlight(response))
    ? (askedMs ?? rules.firstPauseMs)
    : undefined;
}

function backOff(attempt: number, { firstPauseMs, longestPauseMs, random }: RetryRules): number {
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
  return pauseMs * (0.5 + random() / 2);
}

function retryAfterMs({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

/** Of the two kinds of 409, only a request in flight resolves on its own: its `error` is a string, that of a conflict is an object. */
async function isInFlight(response: Response): Promise<boolean> {
  const body: unknown = await response.clone().json();
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';
}
