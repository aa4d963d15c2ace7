// Iterates over all pages of a list: `for await (const row of rows(…))`.

/** A result of openapi-fetch. */
export interface Answered<Body> {
  readonly data?: Body | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The error body. Branch on its `code`. */
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(`The service returned status ${status}: ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
  }
}

/** @throws ApiError when the response is not a success. */
export async function bodyOf<Body>(asked: Promise<Answered<Body>>): Promise<Body> {
  const { data, error, response } = await asked;
  if (data === undefined) throw new ApiError(response.status, error);
  return data;
}

interface Page<Row> {
  readonly data: readonly Row[];
  readonly meta: { readonly cursor: string | null };
}

/** Every row of a list with `meta.cursor`. A cursor is valid only for the filters and sort it came with, so do not change them. */
export async function* rows<Row>(
  ask: (cursor: string | undefined) => Promise<Answered<Page<Row>>>,
): AsyncGenerator<Row> {
  let cursor: string | undefined;
  do {
    const page = await bodyOf(ask(cursor));
    yield* page.data;
    cursor = page.meta.cursor ?? undefined;
  } while (cursor !== undefined);
}

interface ReplayPage<Event> {
  readonly events: readonly Event[];
  readonly next_cursor: string;
}

/** Every event after the last one the caller has, or from the start of the replay window. */
export async function* replayed<Event>(
  ask: (since: string | undefined) => Promise<Answered<ReplayPage<Event>>>,
  lastEventId?: string,
): AsyncGenerator<Event> {
  for (let since = lastEventId; since !== ''; ) {
    const page = await bodyOf(ask(since));
    yield* page.events;
    since = page.next_cursor;
  }
}
