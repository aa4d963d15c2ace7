// A client for Trino's REST protocol: it sends a statement and reads the rows page by page. Written here because the client in the registry
// rounds integers above 2^53 and does not retry requests. https://trino.io/docs/current/develop/client-protocol.html
import { EngineError } from '../errors.ts';
import { firstLineOf } from '../sql-text.ts';
import { type Failure, TrinoError } from './trino-error.ts';

export interface TrinoConnection {
  /** `https://trino.example.org:8443` */
  readonly url: string;
  readonly user: string;
  /** Empty for none. */
  readonly password: string;
  /** Default catalogue of the statements. */
  readonly catalog: string;
  /** Source under which Trino lists the statements. */
  readonly source: string;
}

export interface TrinoEffects {
  readonly fetch: typeof fetch;
  readonly wait: (ms: number) => Promise<void>;
}

export interface Column {
  readonly name: string;
  /** Trino's name of the type: `array(varchar)`. */
  readonly type: string;
}

export interface Page {
  readonly columns: readonly Column[];
  /** Each row is an array. Decimals, and integers that a double cannot hold, are strings of digits. */
  readonly rows: readonly (readonly unknown[])[];
  /** Number of changed rows, in the last page of a statement that changes any. */
  readonly updateCount: number | null;
}

interface StatementResponse {
  readonly nextUri?: string;
  readonly columns?: readonly Column[];
  readonly data?: readonly (readonly unknown[])[];
  readonly updateCount?: number;
  readonly error?: Failure;
}

/** Statuses with which Trino says that the same request may be sent again. */
const AGAIN = new Set([429, 502, 503, 504]);
const TRIES = 8;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;
/** Trino responds within seconds, even while a query runs. */
const TIMEOUT_MS = 60_000;

export class TrinoClient {
  readonly #connection: TrinoConnection;
  readonly #effects: TrinoEffects;

  /** @throws EngineError for an invalid address, or one over which a password could be read in transit */
  constructor(connection: TrinoConnection, effects: TrinoEffects) {
    this.#connection = checked(connection);
    this.#effects = effects;
  }

  /** The origin of the address, also used in messages. */
  get name(): string {
    return new URL(this.#connection.url).origin;
  }

  /** Runs a statement to completion. */
  async run(sql: string): Promise<Page> {
    const rows: (readonly unknown[])[] = [];
    let columns: readonly Column[] = [];
    let updateCount: number | null = null;
    for await (const page of this.pages(sql)) {
      for (const row of page.rows) rows.push(row);
      if (page.columns.length > 0) ({ columns } = page);
      updateCount = page.updateCount ?? updateCount;
    }
    return { columns, rows, updateCount };
  }

  /** Yields pages as soon as Trino has them ready. Leaving the loop early cancels the statement. */
  async *pages(sql: string): AsyncGenerator<Page> {
    let response = await this.#ask(`${this.name}/v1/statement`, { method: 'POST', body: sql }, sql);
    let isOver = false;
    try {
      for (;;) {
        const { columns = [], data = [], updateCount = null, nextUri } = response;
        isOver = nextUri === undefined;
        if (response.error !== undefined) throw new TrinoError(response.error, sql);
        if (data.length > 0 || columns.length > 0 || updateCount !== null)
          yield { columns, rows: data, updateCount };
        if (nextUri === undefined) return;
        response = await this.#ask(nextUri, { method: 'GET' }, sql);
      }
    } finally {
      if (!isOver && response.nextUri !== undefined) await this.#cancel(response.nextUri);
    }
  }

  /** If this fails, Trino ends the statement by itself after some minutes. */
  async #cancel(uri: string): Promise<void> {
    await this.#send(uri, { method: 'DELETE' }).catch(() => undefined);
  }

  /** Retrying is safe: a statement starts only with the first request for its results, and every page may be requested again. */
  async #ask(uri: string, init: RequestInit, sql: string): Promise<StatementResponse> {
    for (let tried = 1; ; tried += 1) {
      const problem = await this.#try(uri, init);
      if (typeof problem === 'object') return problem;
      if (tried >= TRIES)
        throw new EngineError(
          `${this.name} ${problem} after ${tried} attempts.\nIn the statement: ${firstLineOf(sql)}`,
        );
      await this.#effects.wait(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tried));
    }
  }

  /** Resolves to a response, or to a problem that may have passed by the next attempt. */
  async #try(uri: string, init: RequestInit): Promise<StatementResponse | string> {
    let response: Response;
    let text: string;
    try {
      response = await this.#send(uri, init);
      text = await response.text();
    } catch (error) {
      return `cannot be reached (${reasonOf(error)})`;
    }
    if (response.ok) return answerIn(text, this.name);
    const problem = `returned ${response.status}`;
    if (AGAIN.has(response.status)) return problem;
    if (response.status === 401 || response.status === 403)
      throw new EngineError(`${this.name} refused the user ${this.#connection.user} or the password.`);
    throw new EngineError(`${this.name} ${problem}: ${text.slice(0, 300)}.`);
  }

  #send(uri: string, init: RequestInit): Promise<Response> {
    if (new URL(uri).origin !== this.name)
      throw new EngineError(
        `${this.name} directs the next request to ${new URL(uri).origin}, where the password is not sent.`,
      );
    const { fetch } = this.#effects;
    return fetch(uri, {
      ...init,
      headers: this.#headers(),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  }

  #headers(): Record<string, string> {
    const { user, password, catalog, source } = this.#connection;
    const secret = Buffer.from(`${user}:${password}`).toString('base64');
    return {
      'x-trino-user': user,
      'x-trino-catalog': catalog,
      'x-trino-source': source,
      'x-trino-time-zone': 'UTC',
      'x-trino-client-capabilities': 'PARAMETRIC_DATETIME',
      ...(password === '' ? {} : { authorization: `Basic ${secret}` }),
    };
  }
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function checked(connection: TrinoConnection): TrinoConnection {
  const { protocol, hostname, username, password } = URL.canParse(connection.url)
    ? new URL(connection.url)
    : { protocol: '', hostname: '', username: '', password: '' };
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new EngineError(`TRINO_URL is ${JSON.stringify(connection.url)}, not an http or https address.`);
  if (username !== '' || password !== '')
    throw new EngineError(
      'TRINO_URL contains a user or a password: set TRINO_USER and TRINO_PASSWORD instead.',
    );
  if (protocol === 'http:' && (connection.password !== '' || !LOOPBACK.test(hostname)))
    throw new EngineError(
      'TRINO_URL is not https, so data and passwords could be read in transit: use plain http only on this machine, without a password.',
    );
  return connection;
}

function answerIn(text: string, location: string): StatementResponse | string {
  try {
    const isWide = /\d{16}/.test(text);
    return JSON.parse(text, isWide ? (exactNumbers as (key: string, value: unknown) => unknown) : undefined);
  } catch {
    throw new EngineError(`${location} returned something that is not JSON: check that it is Trino.`);
  }
}

const exactNumbers = (_key: string, value: unknown, context: { readonly source?: string }) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(context.source ?? '')
    ? context.source
    : value;

const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error;
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
};
