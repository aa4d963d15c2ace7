// The log of corrections as a server pages through it: ids and datasets of all entries, read once for each published log.
import type { Documents } from '../documents.ts';

export interface CorrectionPage {
  /** A JSON array, newest first. */
  readonly rows: Buffer;
  readonly total: number;
  /** Id of the last entry on the page when more follow; null on the last page. */
  readonly next: string | null;
}

interface Entry {
  readonly id: string;
  readonly dataset: string;
}

const logs = new WeakMap<Documents, readonly Entry[]>();

/** Entries older than `before`, of one dataset or of all. */
export function correctionPage(
  log: Documents,
  asked: {
    readonly dataset?: string | undefined;
    readonly before?: string | undefined;
    readonly limit: number;
  },
): CorrectionPage {
  const { dataset, before, limit } = asked;
  const wanted = entriesOf(log).filter((entry) => dataset === undefined || entry.dataset === dataset);
  const from = before === undefined ? 0 : wanted.findIndex(({ id }) => id < before);
  const rest = from === -1 ? [] : wanted.slice(from);
  const page = rest.slice(0, limit);
  const values = page.map(({ id }) => log.get(id)?.toString() ?? 'null');
  const next = rest.length > limit ? (page.at(-1)?.id ?? null) : null;
  return { rows: Buffer.from(`[${values.join(',')}]`), total: wanted.length, next };
}

/** Newest first. */
function entriesOf(log: Documents): readonly Entry[] {
  let entries = logs.get(log);
  if (entries === undefined) {
    entries = [...log.keys()]
      .map((id) => ({ id, dataset: (JSON.parse(log.get(id)?.toString() ?? '{}') as Entry).dataset }))
      .reverse();
    logs.set(log, entries);
  }
  return entries;
}
