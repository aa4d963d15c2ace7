// One effect per `X-Idempotency-Key` (7.6, decision 37): the first request is executed, concurrent ones are refused, later ones get its
// response. The effect and its response are committed together, so a crash leaves both or neither.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../../schemas/plans.ts';
import type { Caller } from '../define/caller.ts';
import type { Commit, Endpoint, Reply } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import type { Services } from '../services.ts';
import { renderReply } from '../replies/render-reply.ts';
import { RenderedResponse } from '../replies/rendered-response.ts';
import type { OpsTables, StoredResponse, Sync } from '../store/store.ts';
import { keyOf } from './authorize.ts';

const HEADER = 'x-idempotency-key';
const SANE = new RegExp(`^[!-~]{1,${LIMITS.idempotency_key_characters}}$`);

export interface Once {
  readonly endpoint: Endpoint;
  readonly request: IncomingMessage;
  readonly caller: Caller;
  /** The body of the request as it was received. */
  readonly sent: { readonly bytes: Buffer } | undefined;
  readonly services: Services;
}

interface Claim {
  readonly org: string;
  readonly key: string;
}

/**
 * `handle` makes its changes through `commit`.
 * @throws Failure `idempotency_in_flight`, or `conflict` if the key was used with a different request.
 */
export async function respondOnce(
  once: Once,
  handle: (commit: Commit) => Promise<Reply>,
): Promise<RenderedResponse> {
  const claim = claimOf(once);
  if (claim === undefined) return new Attempt(once, undefined).run(handle);
  const { idempotency } = once.services.store;
  const nowMs = once.services.nowMs();
  const begun = await idempotency.begin({ ...claim, fingerprint: fingerprintOf(once), nowMs });
  switch (begun.state) {
    case 'busy':
      throw new Failure('idempotency_in_flight', undefined, { headers: ['Retry-After', '1'] });
    case 'other':
      throw new Failure('conflict', 'This X-Idempotency-Key was used with a different request.');
    case 'done':
      return replayed(begun.response);
    case 'begun':
      return new Attempt(once, claim).run(handle);
  }
}

function claimOf({ request, endpoint, caller }: Once): Claim | undefined {
  const key = request.headers[HEADER];
  if (key === undefined || (endpoint.method !== 'POST' && endpoint.method !== 'PATCH')) return undefined;
  if (typeof key !== 'string' || !SANE.test(key)) {
    const max = LIMITS.idempotency_key_characters;
    throw new Failure('invalid_request', `X-Idempotency-Key must be 1 to ${max} visible ASCII characters.`);
  }
  return { org: keyOf(caller).org, key };
}

function fingerprintOf({ request, sent }: Once): string {
  const hash = createHash('sha256').update(`${request.method} ${request.url}\n`);
  return hash.update(sent?.bytes ?? '').digest('hex');
}

class Attempt {
  readonly #once: Once;
  readonly #claim: Claim | undefined;
  #isSettled = false;

  constructor(once: Once, claim: Claim | undefined) {
    this.#once = once;
    this.#claim = claim;
  }

  /** A failure stores nothing, so the client can correct or retry the request with the same key. */
  async run(handle: (commit: Commit) => Promise<Reply>): Promise<RenderedResponse> {
    const { store } = this.#once.services;
    try {
      const reply = await handle((work, sync) => this.#commit(work, sync));
      const response = this.#rendered(reply);
      await this.#settle(store, response);
      return response;
    } catch (thrown) {
      await this.#release();
      throw thrown;
    }
  }

  /** The client gets the original error. A claim that cannot be released ends with this process. */
  async #release(): Promise<void> {
    if (this.#claim === undefined || this.#isSettled) return;
    const { idempotency } = this.#once.services.store;
    await idempotency.release(this.#claim.org, this.#claim.key).catch(() => undefined);
  }

  async #commit(work: (tables: OpsTables) => Promise<Reply>, sync?: Sync): Promise<Reply> {
    const reply = await this.#once.services.store.transact(async (tables) => {
      const made = await work(tables);
      await this.#settle(tables, this.#rendered(made));
      return made;
    }, sync);
    this.#isSettled = true;
    return reply;
  }

  #rendered(reply: Reply): RenderedResponse {
    return renderReply(this.#once.endpoint, reply, this.#once.services.nowMs());
  }

  async #settle({ idempotency }: OpsTables, { status, headers, body }: RenderedResponse): Promise<void> {
    if (this.#claim === undefined || this.#isSettled) return;
    const nowMs = this.#once.services.nowMs();
    await idempotency.settle({ ...this.#claim, response: { status, headers, body }, nowMs });
  }
}

const replayed = ({ status, headers, body }: StoredResponse): RenderedResponse =>
  new RenderedResponse({
    status,
    body: Buffer.from(body),
    headers: [...headers, 'X-Idempotency-Replayed', 'true'],
  });
