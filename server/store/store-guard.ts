// Checks a store against its seal key and the newest head of its audit log that was seen. Refuses a store of another installation, an older
// copy, and a store whose log was truncated or rewritten. Stores from before the log was keyed are marked once.
import { canonicalJson } from '../../platform/storage/canonical.ts';
import type { Actor } from './actor.ts';
import { AuditAnchor, type AuditHead } from './audit-anchor.ts';
import type { Sealer } from './seal.ts';
import { StoreUnavailableError } from './store.ts';
import { appendAudit, firstBrokenPlain, headOf } from './tables/audit.ts';
import { factsOf, keyOf, wasLogged } from './tables/logged-keys.ts';
import { type Connection, type Guard, integerOf, type Session, textOf } from './tables/session.ts';

const MARK = 'mark of the store';
const ENTRY = 'entry of the audit log';
const KEY = 'hash of an API key';
const HOW_TO_ACCEPT =
  'Restore the newest copy. To continue with this one and lose what came after it, use the command `audit --accept` of the keys';

export interface GuardedStore {
  /** Name of the store in messages; by default the path. */
  readonly database?: string;
  /** Set if other hosts also use the store: a host that has seen no head yet then adopts the present one. */
  readonly isShared?: boolean;
}

export class StoreGuard implements Guard {
  readonly #path: string;
  readonly #isShared: boolean;
  readonly #sealer: Pick<Sealer, 'mac'>;
  readonly #anchor: AuditAnchor;
  #isEstablished = false;
  /** The newest head next to the store that this process has seen. */
  #seen: AuditHead | undefined;
  #headFault: unknown;

  /** `path`: where the head of the log is kept, next to the store. */
  constructor(path: string, sealer: Pick<Sealer, 'mac'>, { database, isShared }: GuardedStore = {}) {
    this.#path = database ?? path;
    this.#isShared = isShared ?? false;
    this.#sealer = sealer;
    this.#anchor = new AuditAnchor(path, sealer);
  }

  /** Why the head could not be written next to the store after the last change; undefined if it was written. */
  get headFault(): unknown {
    return this.#headFault;
  }

  /** MAC of an entry's body, canonical JSON. */
  entryMac(text: string): string {
    return this.#sealer.mac(text, ENTRY);
  }

  /** Replaces the hash of an API key where the hash itself must not appear. */
  keyMac(hash: string): string {
    return this.#sealer.mac(hash, KEY);
  }

  /**
   * Call this before any other use of the store. `accept`: accepts the store although its head does not match, and logs that.
   * @throws StoreUnavailableError
   */
  async establish(session: Session, accept?: Actor): Promise<void> {
    const isMarked = await session.read(async (db) => (await this.#keyedFrom(db)) !== undefined);
    if (!isMarked) await session.write((db) => this.#mark(db, accept !== undefined));
    if (accept === undefined) await session.read((db) => this.check(db));
    else await session.write((db) => this.#accept(db, accept));
    this.#isEstablished = true;
  }

  /** Call this after reopening the file. */
  async recheck(db: Connection): Promise<void> {
    if (this.#isEstablished) await this.check(db);
  }

  /** @throws StoreUnavailableError if the store is not the one last seen. */
  async check(db: Connection): Promise<void> {
    // Read before the first statement, which starts a snapshot of the store, because another process may change the store and the head
    // meanwhile.
    const seenNow = settled(() => this.#seenBeside());
    await this.keyedFrom(db);
    const seen = seenNow() ?? this.#seen;
    if (seen === undefined) {
      if (this.#isShared) return this.#see(await headOf(db));
      throw this.#refused(`${this.#anchor.path} is missing`);
    }
    const problem = await headProblem(db, seen);
    if (problem !== undefined) throw this.#refused(problem);
    this.#seen = seen;
  }

  #see(head: AuditHead): void {
    this.#anchor.write(head);
    this.#seen = head;
  }

  /** A head file that is lost or damaged while the store is open is rewritten with the next change, because its content is in memory. */
  #seenBeside(): AuditHead | undefined {
    return this.#seen === undefined ? this.#anchor.read() : this.#anchorOrUndefined();
  }

  /** Sequence number of the first keyed entry. Earlier entries are from an older version. */
  async keyedFrom(db: Connection): Promise<number> {
    const from = await this.#keyedFrom(db);
    if (from === undefined) throw this.#refused('it has no mark of this installation');
    return from;
  }

  /** Writes the head next to the store. Never replaces a newer head with an older one. */
  async advance(db: Connection): Promise<void> {
    const head = await headOf(db);
    try {
      if ((this.#anchorOrUndefined()?.seq ?? -1) < head.seq) this.#anchor.write(head);
      this.#seen = head;
      db.isAuditAhead = false;
      this.#headFault = undefined;
    } catch (error) {
      // The change is committed and must not be reported as failed. The next change retries.
      this.#headFault = error;
    }
  }

  async #keyedFrom(db: Connection): Promise<number | undefined> {
    const row = await db.get('select keyed_from, mac from store_mark');
    if (row === undefined) return undefined;
    const keyedFrom = integerOf(row, 'keyed_from');
    if (textOf(row, 'mac') === this.#markMac(keyedFrom)) return keyedFrom;
    throw new StoreUnavailableError(
      `The store ${this.#path} belongs to another seal key: one of them is from another installation, or damaged. Restore both from the same backup.`,
    );
  }

  /** Writes the anchor first, so that a crash in between leaves a matching head. */
  async #mark(db: Connection, isAccepted: boolean): Promise<void> {
    if ((await this.#keyedFrom(db)) !== undefined) return;
    const anchor = this.#anchor.read();
    const problem = anchor === undefined || isAccepted ? undefined : await headProblem(db, anchor);
    if (problem !== undefined) throw this.#refused(problem);
    const broken = await firstBrokenPlain(db);
    if (broken !== undefined) throw this.#refused(`its audit log does not match from entry ${broken} on`);
    const head = await headOf(db);
    this.#anchor.write(head);
    const keyedFrom = head.seq + 1;
    await db.run('insert into store_mark values (?, ?)', keyedFrom, this.#markMac(keyedFrom));
    if (head.seq > 0) await adoptKeys(db, head);
  }

  async #accept(db: Connection, actor: Actor): Promise<void> {
    const seen = this.#anchorOrUndefined();
    const head = await headOf(db);
    await appendAudit(db, actor, {
      action: 'store.accept',
      subject: 'store',
      details: { head: { ...head }, seen: seen === undefined ? null : { ...seen } },
    });
    this.#anchor.remove();
  }

  #anchorOrUndefined(): AuditHead | undefined {
    try {
      return this.#anchor.read();
    } catch (error) {
      if (error instanceof StoreUnavailableError) return undefined;
      throw error;
    }
  }

  #markMac(keyedFrom: number): string {
    return this.#sealer.mac(canonicalJson({ keyed_from: keyedFrom }), MARK);
  }

  #refused(problem: string): StoreUnavailableError {
    return new StoreUnavailableError(`The store ${this.#path} is refused: ${problem}. ${HOW_TO_ACCEPT}.`);
  }
}

/** Runs the work at once. The returned function returns its result or throws its error. */
function settled<T>(work: () => T): () => T {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** A log newer than the head is fine, because a process may end between a change and writing its head. */
async function headProblem(db: Connection, seen: AuditHead): Promise<string | undefined> {
  const { seq } = await headOf(db);
  if (seq < seen.seq)
    return `it is an older copy: its audit log ends with entry ${seq}, but there was an entry ${seen.seq}`;
  if (seen.seq === 0) return undefined;
  const row = await db.get('select hash from audit_entry where seq = ?', seen.seq);
  return row !== undefined && textOf(row, 'hash') === seen.hash
    ? undefined
    : `its audit log is a different one: entry ${seen.seq} is not the entry last seen`;
}

// Adds the keys of a store whose audit log was not yet keyed to the log, once.

/** Keys that the log does not confirm are left out and remain invalid. */
async function adoptKeys(db: Connection, head: AuditHead): Promise<void> {
  const newest = await db.get('select at_ms from audit_entry where seq = ?', head.seq);
  // The store has no clock, so this takes the earliest possible time.
  const actor = {
    who: 'store',
    requestId: null,
    atMs: newest === undefined ? 0 : integerOf(newest, 'at_ms'),
  };
  await appendAudit(db, actor, { action: 'store.keyed', subject: 'store', details: { head: { ...head } } });
  for (const key of (await db.all('select * from api_key order by id')).map(keyOf)) {
    if (await wasLogged(db, key))
      await appendAudit(db, actor, { action: 'key.adopt', subject: key.id, details: factsOf(db, key) });
  }
}
