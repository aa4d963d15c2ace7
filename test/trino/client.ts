// As much of Trino's REST protocol as the cases need: send a statement, follow the links of the response, collect the rows.

const PAUSE_MS = 200;

export class TrinoError extends Error {
  override readonly name = 'TrinoError';
}

interface StatementResponse {
  readonly nextUri?: string;
  readonly data?: readonly (readonly unknown[])[];
  readonly error?: { readonly message: string; readonly errorName: string };
}

export interface Place {
  /** `http://127.0.0.1:<port>` */
  readonly base: string;
  /** Default catalogue of the statements. */
  readonly catalog: string;
}

const headersFor = (catalog: string) => ({
  'x-trino-user': 'cases',
  'x-trino-catalog': catalog,
  'x-trino-time-zone': 'UTC',
  'x-trino-client-capabilities': 'PARAMETRIC_DATETIME',
});

/** Rows of one statement; integers that a double cannot hold are strings of digits. */
export async function query({ base, catalog }: Place, sql: string): Promise<readonly (readonly unknown[])[]> {
  const rows: (readonly unknown[])[] = [];
  const headers = headersFor(catalog);
  let answer = await read(await fetch(`${base}/v1/statement`, { method: 'POST', body: sql, headers }));
  for (;;) {
    if (answer.error)
      throw new TrinoError(`${answer.error.errorName}: ${answer.error.message}\nIn the statement: ${sql}`);
    rows.push(...(answer.data ?? []));
    if (answer.nextUri === undefined) return rows;
    answer = await read(await fetch(answer.nextUri, { headers }));
  }
}

async function read(response: Response): Promise<StatementResponse> {
  const text = await response.text();
  if (!response.ok) throw new TrinoError(`Trino returned ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text, exactNumbers as (key: string, value: unknown) => unknown) as StatementResponse;
}

const exactNumbers = (_key: string, value: unknown, context: { readonly source?: string }) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(context.source ?? '')
    ? context.source
    : value;

export interface Awaited {
  /** Number of nodes that must be active. */
  readonly nodes: number;
  readonly isAlive: () => boolean;
  readonly timeoutMs: number;
}

/** Waits until the nodes are active. Throws when `isAlive` says that the server is gone, or after the timeout. */
export async function untilActive(base: string, { nodes, isAlive, timeoutMs }: Awaited): Promise<void> {
  const end = performance.now() + timeoutMs;
  let last: unknown = 'no answer';
  while (isAlive() && performance.now() < end) {
    try {
      const [row] = await query(
        { base, catalog: 'system' },
        `select count(*) from system.runtime.nodes where state = 'active'`,
      );
      if (Number(row?.[0]) >= nodes) return;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new TrinoError(
    isAlive() ? 'Trino did not become active in time' : 'Trino exited while it was starting',
    {
      cause: last,
    },
  );
}
