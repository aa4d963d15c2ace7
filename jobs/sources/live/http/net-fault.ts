// Why a request failed, and what to do about it. The kind alone decides whether it is worth retrying.
import { printable } from '../../../../platform/base/printable.ts';

/**
 * `network`: no connection, or it broke; `timeout`; `cut`: the body ended early; `limit`: too many requests; `server`: 5xx; `html`: a page
 * where data was expected; `content`: not what the content type or format promises; `refused`: 4xx or an error that repeating cannot
 * change; `redirect`; `too_large`, one body; `too_much`, all pages
 * together; `pager`: paging does not advance; `circuit` and `budget`: not sent at all.
 */
export type NetFaultKind =
  | 'network'
  | 'timeout'
  | 'cut'
  | 'limit'
  | 'server'
  | 'html'
  | 'content'
  | 'refused'
  | 'redirect'
  | 'too_large'
  | 'too_much'
  | 'pager'
  | 'circuit'
  | 'budget';

const TRANSIENT: ReadonlySet<NetFaultKind> = new Set([
  'network',
  'timeout',
  'cut',
  'limit',
  'server',
  'html',
  'content',
]);

export interface NetFaultFacts {
  readonly status?: number;
  /** How long the server asks to wait. */
  readonly retryAfterMs?: number;
  /** What an operator can do; omitted when waiting is enough. */
  readonly todo?: string;
  readonly cause?: unknown;
}

export class NetFault extends Error {
  override readonly name = 'NetFault';
  readonly kind: NetFaultKind;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly todo: string | null;

  constructor(kind: NetFaultKind, what: string, facts: NetFaultFacts = {}) {
    const { status, retryAfterMs, todo, cause } = facts;
    super(printable(todo === undefined ? what : `${what} ${todo}.`), cause === undefined ? {} : { cause });
    this.kind = kind;
    this.status = status ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
    this.todo = todo ?? null;
  }

  /** Whether a retry may succeed without any change. */
  get isTransient(): boolean {
    return TRANSIENT.has(this.kind);
  }
}
