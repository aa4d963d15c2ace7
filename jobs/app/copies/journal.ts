// The journal of what job hosts share in a bucket. Every change swaps the head, provided that it is still as this leader last wrote it. A
// leader that was replaced while it slept loses its next swap, and nothing names what it had put for it.
import { mapAtOnce } from '../../../platform/base/tasks.ts';
import { sha256HexOf } from '../../../platform/storage/canonical.ts';
import { DamagedFileError } from '../../../platform/storage/errors.ts';
import { StaleTermError, type TermMark } from '../../../platform/storage/fence.ts';
import { MAX_REQUESTS_AT_ONCE, type ObjectStore } from '../../../platform/storage/object-store.ts';
import {
  type Entry,
  HEAD_KEY,
  type Head,
  type CopyRecord,
  lineOf,
  linesOf,
  parseHead,
  pieceKey,
  pieceOf,
  replay,
  type SharedFiles,
  textOfHead,
  UNCLAIMED,
} from './journal-form.ts';

const MAX_TRIES = 10;
/** Maximum number of lines that every swap rewrites. */
const MAX_TAIL = 200;
/** A journal with more pieces is rewritten when a leader begins, because most of its lines are obsolete by then. */
const MAX_PIECES = 100;

interface JournalState {
  readonly tag: string;
  readonly head: Head;
}

interface SharedJournal extends JournalState {
  readonly shared: SharedFiles;
}

export interface Leader {
  readonly installation: string;
  /** Rises with every leader; null takes the next number. */
  readonly number: number | null;
}

export class Journal {
  readonly #store: ObjectStore;
  readonly #files: Map<string, CopyRecord>;
  readonly ledger: readonly string[];
  #state: JournalState;
  /** A swap that got no response; it may have succeeded. */
  #inDoubt: { readonly head: Head; readonly undo: readonly Entry[] } | null = null;

  private constructor(store: ObjectStore, { shared, ...held }: SharedJournal) {
    this.#store = store;
    this.#state = held;
    this.#files = new Map(shared.files);
    this.ledger = shared.ledger;
  }

  /** `before` is the previous leader; null in an empty bucket. @throws StaleTermError for a later leader or one of another installation. */
  static async enter(
    store: ObjectStore,
    leader: Leader,
  ): Promise<{ readonly journal: Journal; readonly before: TermMark | null }> {
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      const journal = await find(store);
      const before = journal?.head.leader ?? null;
      const entered = await swapIn(store, journal, { ...leader, number: leader.number ?? nextTerm(before) });
      if (entered !== 'lost') return { journal: new Journal(store, entered), before };
    }
    throw new StaleTermError(`Other hosts keep replacing ${store.nameOf(HEAD_KEY)}: stop all but one.`);
  }

  get leader(): TermMark {
    return this.#state.head.leader;
  }

  /** Files by path. */
  get files(): ReadonlyMap<string, CopyRecord> {
    return this.#files;
  }

  /** sha256 of the pieces that the head names. */
  get pieces(): readonly string[] {
    return this.#state.head.pieces;
  }

  /** @throws StaleTermError if another host leads by now */
  async assertLeads(): Promise<void> {
    await this.append([]);
    const now = await this.#store.getTagged(HEAD_KEY);
    const own = Buffer.from(textOfHead(this.#state.head));
    if (now === null || now === 'same' || !now.bytes.equals(own)) throw await this.#replaced();
  }

  /** All or nothing: once it resolves, all entries count; when it throws, none does. @throws StaleTermError */
  async append(entries: readonly Entry[]): Promise<void> {
    if (this.#inDoubt !== null) await this.#settle();
    if (entries.length > 0) await this.#swap(entries);
  }

  async #swap(entries: readonly Entry[]): Promise<void> {
    const undo = entries.flatMap((entry) => this.#undoOf(entry));
    const head = await this.#grown(entries.map(lineOf));
    let result: Awaited<ReturnType<ObjectStore['swap']>>;
    try {
      result = await this.#store.swap(this.#swapTo(head));
    } catch (error) {
      this.#inDoubt = { head, undo };
      throw error;
    }
    if (result === 'lost') throw await this.#replaced();
    this.#state = { tag: result.tag, head };
    for (const entry of entries) {
      if ('put' in entry) this.#files.set(entry.put, { sha256: entry.sha256, term: entry.term });
      else if ('removed' in entry) this.#files.delete(entry.removed);
    }
  }

  /** Reverts a swap that got no response but succeeded, because its caller treated it as failed. */
  async #settle(): Promise<void> {
    const now = await this.#store.getTagged(HEAD_KEY);
    const { head, undo } = this.#inDoubt ?? { head: this.#state.head, undo: [] };
    if (now === null || now === 'same') throw await this.#replaced();
    const isDone = now.bytes.equals(Buffer.from(textOfHead(head)));
    if (!isDone && !now.bytes.equals(Buffer.from(textOfHead(this.#state.head)))) throw await this.#replaced();
    this.#inDoubt = null;
    if (!isDone) return;
    this.#state = { tag: now.tag, head };
    await this.#swap(undo);
  }

  #undoOf(entry: Entry): readonly Entry[] {
    if ('ran' in entry) return [];
    const path = 'put' in entry ? entry.put : entry.removed;
    const before = this.#files.get(path);
    return [before === undefined ? { removed: path } : { put: path, ...before }];
  }

  async #grown(lines: readonly string[]): Promise<Head> {
    const { leader, pieces, tail } = this.#state.head;
    if (tail.length + lines.length <= MAX_TAIL) return { leader, pieces, tail: [...tail, ...lines] };
    const piece = pieceOf([...tail, ...lines]);
    await this.#store.putOnce(pieceKey(piece.sha256), [piece.bytes]);
    return { leader, pieces: [...pieces, piece.sha256], tail: [] };
  }

  #swapTo = (head: Head) => ({
    key: HEAD_KEY,
    bytes: Buffer.from(textOfHead(head)),
    expectedTag: this.#state.tag,
  });

  async #replaced(): Promise<StaleTermError> {
    const now = await find(this.#store);
    const { number } = this.leader;
    return new StaleTermError(
      `${this.#store.nameOf('')} is in term ${now?.head.leader.number ?? 'none'}; term ${number} of this process is over.`,
    );
  }
}

/** Null in an empty bucket. @throws DamagedFileError */
export async function readShared(store: ObjectStore): Promise<SharedFiles | null> {
  return (await find(store))?.shared ?? null;
}

const nextTerm = (before: TermMark | null) => (before?.number ?? 0) + 1;

async function find(store: ObjectStore): Promise<SharedJournal | null> {
  const found = await store.getTagged(HEAD_KEY);
  if (found === null || found === 'same') return null;
  const head = parseHead(found.bytes, store.nameOf(HEAD_KEY));
  const pieces = await mapAtOnce(MAX_REQUESTS_AT_ONCE, head.pieces, (sha256) => readPiece(store, sha256));
  return { tag: found.tag, head, shared: replay([...pieces.flat(), ...head.tail], store.nameOf(HEAD_KEY)) };
}

async function readPiece(store: ObjectStore, sha256: string): Promise<readonly string[]> {
  const bytes = await store.get(pieceKey(sha256), sha256);
  const actual = bytes === null ? 'nothing' : `sha256 ${sha256HexOf([bytes])}`;
  if (bytes === null || actual !== `sha256 ${sha256}`)
    throw new DamagedFileError({
      file: store.nameOf(pieceKey(sha256)),
      expected: `sha256 ${sha256}`,
      actual,
      advice: 'It records what has landed. Restore it from a copy of the bucket.',
    });
  return bytes.toString('utf8').split('\n').slice(0, -1);
}

async function swapIn(
  store: ObjectStore,
  journal: SharedJournal | null,
  own: TermMark,
): Promise<SharedJournal | 'lost'> {
  const leader = journal?.head.leader;
  const isOther = leader?.installation !== UNCLAIMED && leader?.installation !== own.installation;
  if (leader !== undefined && isOther)
    throw new StaleTermError(
      `${store.nameOf('')} belongs to installation ${leader.installation}; this one is ${own.installation}. Use another prefix in DATA_STORE, or give all hosts of one installation the same INSTALLATION and LEASE_STORE.`,
    );
  if (leader !== undefined && own.number <= leader.number)
    throw new StaleTermError(
      `${store.nameOf('')} is in term ${leader.number}; this one, with term ${own.number}, is outdated.`,
    );
  const shared = journal?.shared ?? { files: new Map(), ledger: [] };
  const head = { ...(await begun(store, journal)), leader: own };
  const bytes = Buffer.from(textOfHead(head));
  const result = await store.swap({ key: HEAD_KEY, bytes, expectedTag: journal?.tag ?? null });
  return result === 'lost' ? 'lost' : { tag: result.tag, head, shared };
}

/** The pieces and tail that a new leader begins with: many pieces are merged into one. */
async function begun(
  store: ObjectStore,
  journal: SharedJournal | null,
): Promise<Pick<Head, 'pieces' | 'tail'>> {
  if (journal === null) return { pieces: [], tail: [] };
  if (journal.head.pieces.length <= MAX_PIECES) return journal.head;
  const piece = pieceOf(linesOf(journal.shared));
  await store.putOnce(pieceKey(piece.sha256), [piece.bytes]);
  return { pieces: [piece.sha256], tail: [] };
}
