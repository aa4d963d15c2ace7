// Requests with an idempotency key: the claim of the process that handles the request, then its response. IdempotencyStore describes the
// guarantees. Keys are stored as hashes, responses sealed.

import { canonicalJson, sha256Hex } from '../../../platform/storage/canonical.ts';
import { LIMITS } from '../../../schemas/plans.ts';
import type { Presence } from '../processes.ts';
import type { Sealer } from '../seal.ts';
import {
  type Begun,
  type IdempotencyStore,
  StoreConflictError,
  type StoredResponse,
  StoreUnavailableError,
} from '../store.ts';
import {
  bytesOf,
  type Connection,
  integerOf,
  integerOrNull,
  type Row,
  type Session,
  textOf,
} from './session.ts';

/** State shared by all views of one store, inside and outside a transaction. */
export interface ClaimContext {
  readonly presence: Presence;
  readonly sealer: Sealer;
  /** Claims that this process is working on. A claim of this process that is missing here was abandoned without updating the store. */
  readonly working: Set<string>;
}

type Claim = Parameters<IdempotencyStore['begin']>[0];
type Done = Parameters<IdempotencyStore['settle']>[0];

const KEPT_MS = LIMITS.idempotency_hours * 3_600_000;
/** Rows deleted at a time, so that other work gets its turn. */
const BATCH = 200;
const CLAIM = `insert into idempotent_request values (?, ?, ?, ?, ?, null, null)
  on conflict (org, key_hash) do update set fingerprint = excluded.fingerprint, owner = excluded.owner,
  begun_ms = excluded.begun_ms, settled_ms = null, sealed_answer = null`;
const FIND = 'select * from idempotent_request where org = ? and key_hash = ?';

export class IdempotencyTable implements IdempotencyStore {
  readonly #session: Session;
  readonly #context: ClaimContext;

  constructor(session: Session, context: ClaimContext) {
    this.#session = session;
    this.#context = context;
  }

  async begin(claim: Claim): Promise<Begun> {
    const slot = positionOf(claim.org, claim.key);
    await this.#context.presence.enter();
    return this.#session.write(async (db) => {
      const row = await db.get(FIND, claim.org, slot.keyHash);
      if (row === undefined || (await this.#isVacant(db, row, { nowMs: claim.nowMs, name: slot.name })))
        return this.#take(db, claim);
      if (textOf(row, 'fingerprint') !== claim.fingerprint) return { state: 'other' };
      if (row['settled_ms'] === null) return { state: 'busy' };
      return { state: 'done', response: this.#opened(row, slot.name) };
    });
  }

  settle({ org, key, response, nowMs }: Done): Promise<void> {
    const { keyHash, name } = positionOf(org, key);
    const { presence, sealer, working } = this.#context;
    return this.#session.write(async (db) => {
      const sealed = sealer.seal(bytesOfResponse(response), name);
      const settled = await db.run(
        `update idempotent_request set settled_ms = ?, sealed_answer = ?
         where org = ? and key_hash = ? and owner = ? and settled_ms is null`,
        nowMs,
        sealed,
        org,
        keyHash,
        presence.owner,
      );
      if (settled === 0) throw new StoreConflictError('The claim is not held by this process.');
      working.delete(name);
    });
  }

  release(org: string, key: string): Promise<void> {
    const { keyHash, name } = positionOf(org, key);
    const { presence, working } = this.#context;
    working.delete(name);
    return this.#session.write(async (db) => {
      await db.run(
        'delete from idempotent_request where org = ? and key_hash = ? and owner = ? and settled_ms is null',
        org,
        keyHash,
        presence.owner,
      );
    });
  }

  async forget(beforeMs: number): Promise<number> {
    this.#context.presence.sweep(beforeMs);
    for (let forgotten = 0; ; ) {
      const deleted = await this.#session.write((db) => deleteOldest(db, beforeMs));
      forgotten += deleted;
      if (deleted < BATCH) return forgotten;
    }
  }

  /** Whether no process works on the request and no response is stored. */
  async #isVacant(db: Connection, row: Row, at: { nowMs: number; name: string }): Promise<boolean> {
    const settledMs = integerOrNull(row, 'settled_ms');
    if ((settledMs ?? integerOf(row, 'begun_ms')) + KEPT_MS <= at.nowMs) return true;
    if (settledMs !== null) return false;
    const { presence, working } = this.#context;
    const owner = textOf(row, 'owner');
    return owner === presence.owner ? !working.has(at.name) : !(await presence.isAlive(owner, db));
  }

  async #take(db: Connection, { org, key, fingerprint, nowMs }: Claim): Promise<Begun> {
    const { keyHash, name } = positionOf(org, key);
    const { presence, working } = this.#context;
    await db.run(CLAIM, org, keyHash, fingerprint, presence.owner, nowMs);
    working.add(name);
    return { state: 'begun' };
  }

  #opened(row: Row, name: string): StoredResponse {
    try {
      return responseOfBytes(this.#context.sealer.open(bytesOf(row, 'sealed_answer'), name));
    } catch (cause) {
      throw new StoreUnavailableError('A stored response cannot be opened: has the seal key been replaced?', {
        cause,
      });
    }
  }
}

function positionOf(org: string, key: string): { readonly keyHash: string; readonly name: string } {
  const keyHash = sha256Hex(key);
  return { keyHash, name: `answer to ${keyHash} of ${org}` };
}

const deleteOldest = (db: Connection, beforeMs: number): Promise<number> =>
  db.run(
    `delete from idempotent_request where (org, key_hash) in (
       select org, key_hash from idempotent_request where coalesce(settled_ms, begun_ms) < ? limit ${BATCH})`,
    beforeMs,
  );

/** A line of JSON, then the unchanged body. */
const bytesOfResponse = ({ status, headers, body }: StoredResponse): Buffer =>
  Buffer.concat([Buffer.from(`${canonicalJson({ status, headers })}\n`), body]);

function responseOfBytes(bytes: Buffer): StoredResponse {
  const end = bytes.indexOf('\n');
  const { status, headers }: Omit<StoredResponse, 'body'> = JSON.parse(bytes.toString('utf8', 0, end));
  return { status, headers, body: bytes.subarray(end + 1) };
}
