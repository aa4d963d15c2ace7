// Walks over the pages of lists and of replay, row by row. A page that does not lead on is an error, never the end.
import type { Answer } from './answer.ts';
import { InvalidAnswerError } from './errors.ts';

/** The list of yields takes the cursor under another name than the others. */
const CURSOR_NAMES: Readonly<Record<string, string>> = { '/v2/yield/opportunities': 'page[cursor]' };

interface PageMeta {
  readonly cursor?: string | null;
  readonly has_more?: boolean;
}

/** A list that is asked for page by page, as far as it is read. */
export class List<Row, Body> implements AsyncIterable<Row> {
  readonly #path: string;
  readonly #ask: (query: Readonly<Record<string, string>>) => Promise<Answer<Body>>;

  constructor(path: string, ask: (query: Readonly<Record<string, string>>) => Promise<Answer<Body>>) {
    this.#path = path;
    this.#ask = ask;
  }

  /** The pages, each with its freshness. */
  async *pages(): AsyncGenerator<Answer<Body>> {
    let cursor: string | undefined;
    do {
      const page = await this.#ask(
        cursor === undefined ? {} : { [CURSOR_NAMES[this.#path] ?? 'cursor']: cursor },
      );
      const next = nextCursor(page, this.#path);
      if (next !== undefined && next === cursor)
        throw new InvalidAnswerError(
          `The pages of ${this.#path} do not end: a cursor leads to itself.`,
          page,
        );
      yield page;
      cursor = next;
    } while (cursor !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row> {
    for await (const page of this.pages()) yield* page.data as Iterable<Row>;
  }

  /** All rows, or the first `max`. */
  async all(max = Number.POSITIVE_INFINITY): Promise<Row[]> {
    const rows: Row[] = [];
    if (max <= 0) return rows;
    for await (const row of this) {
      rows.push(row);
      if (rows.length >= max) break;
    }
    return rows;
  }
}

function nextCursor(page: Answer<unknown>, path: string): string | undefined {
  const { meta = {} } = page.body as { readonly meta?: PageMeta };
  const cursor = meta.cursor ?? undefined;
  if (meta.has_more === true && cursor === undefined)
    throw new InvalidAnswerError(
      `${path} has more rows than this page, and no cursor to them: ask for fewer, or with a larger limit.`,
      page,
    );
  return cursor;
}

interface ReplayPage<Event> {
  readonly events: readonly Event[];
  readonly next_cursor: string;
}

/** Every event after the last one the caller has, or from the start of the replay window. */
export async function* replayed<Event>(
  ask: (since: string | undefined) => Promise<ReplayPage<Event>>,
  lastEventId?: string,
): AsyncGenerator<Event> {
  for (let since = lastEventId; since !== ''; ) {
    const page = await ask(since);
    yield* page.events;
    since = page.next_cursor;
  }
}
