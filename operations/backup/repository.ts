// A place that holds backups: a folder or a bucket. Pieces are written first and the backup that names them last, so an interrupted backup
// leaves only pieces that the next one uses or removes.
import { createHash } from 'node:crypto';
import { printable } from '../../platform/base/printable.ts';
import { forEachAtOnce } from '../../platform/base/tasks.ts';
import { sha256Hex } from '../../platform/storage/canonical.ts';
import { DamagedFileError, RefusedInputError } from '../../platform/storage/errors.ts';
import {
  MAX_REQUESTS_AT_ONCE,
  type ObjectStore,
  type OpenObject,
} from '../../platform/storage/object-store.ts';
import {
  BACKUPS_FOLDER,
  type Backup,
  type BackupFile,
  backupKey,
  idOfKey,
  PIECES_FOLDER,
  parseBackup,
  pieceKey,
  textOfBackup,
} from './backup-form.ts';

/** States who is writing; removed when the backup ends. */
const RUNNING = 'running.json';
/** A mark that was not renewed for this long was left by a backup that was killed. */
const RUNNING_TTL_MS = 120_000;
const RENEW_MS = 20_000;
/** Bounds the memory of a backup and of a restore. A changed part of a large file costs one piece. */
const PIECE_BYTES = 4 * 1_048_576;
const REMOVED_AT_ONCE = 500;

export type StoredFile = Pick<BackupFile, 'sha256' | 'bytes' | 'pieces'>;

export interface RepositoryEffects {
  readonly nowMs: () => number;
  /** Version of this program. */
  readonly program: string;
}

export class Repository {
  readonly #store: ObjectStore;
  readonly #effects: RepositoryEffects;
  #known: Set<string> | undefined;
  #writer: string | undefined;
  #renewedMs = 0;
  addedBytes = 0;

  constructor(store: ObjectStore, effects: RepositoryEffects) {
    this.#store = store;
    this.#effects = effects;
  }

  get name(): string {
    return this.#store.nameOf('');
  }

  /** Oldest first. */
  async ids(): Promise<readonly string[]> {
    const keys = await this.#store.list(`${BACKUPS_FOLDER}/`);
    return keys.flatMap((key) => idOfKey(key) ?? []);
  }

  /** @throws DamagedFileError, UnsupportedFormatError, RefusedInputError if there is no such backup */
  async read(id: string): Promise<Backup> {
    const key = backupKey(id);
    const bytes = await this.#store.get(key);
    if (bytes === null)
      throw new RefusedInputError(
        `${this.name} holds no backup ${id}. Show what there is with \`npm run backup -- list --from ${this.name}\`.`,
      );
    return parseBackup(bytes, { id, file: this.#store.nameOf(key), program: this.#effects.program });
  }

  /**
   * Call this before the first piece. Two writers in one place could remove what the other relies on.
   * @throws RefusedInputError if another backup is being written here
   */
  async begin(id: string): Promise<void> {
    const other = await this.#otherWriter(id);
    if (other !== null)
      throw new RefusedInputError(
        `Another backup, ${other}, is being written to ${this.name}. Wait for it; if it was killed, it no longer counts after ${RUNNING_TTL_MS / 1000} seconds. Nothing was written.`,
      );
    await this.#mark(id);
    if ((await this.#otherWriter(id)) !== null)
      throw new RefusedInputError(
        `Another backup began in ${this.name} at the same time. Nothing was written.`,
      );
    this.#known = new Set(
      (await this.#store.list(`${PIECES_FOLDER}/`)).map((key) => key.split('/')[2] ?? ''),
    );
  }

  async end(): Promise<void> {
    await this.#store.remove([RUNNING]);
  }

  hasAll(pieces: readonly string[]): boolean {
    return pieces.every((sha256) => this.#known?.has(sha256) === true);
  }

  /** Stores a file in pieces; those that are there already are not written. */
  async put(file: Pick<OpenObject, 'read'>): Promise<StoredFile> {
    const hash = createHash('sha256');
    const pieces: string[] = [];
    for (let position = 0; ; ) {
      const target = Buffer.allocUnsafe(PIECE_BYTES);
      const count = await file.read(target, position);
      const bytes = target.subarray(0, count);
      hash.update(bytes);
      position += count;
      if (count > 0) pieces.push(await this.#putPiece(bytes));
      if (count < PIECE_BYTES) return { sha256: hash.digest('hex'), bytes: position, pieces };
    }
  }

  async #putPiece(bytes: Buffer): Promise<string> {
    const sha256 = sha256Hex(bytes);
    if (this.#known?.has(sha256)) return sha256;
    await this.#store.putOnce(pieceKey(sha256), [bytes]);
    this.#known?.add(sha256);
    this.addedBytes += bytes.length;
    return sha256;
  }

  /** The backup exists when this resolves. */
  async commit(backup: Backup): Promise<void> {
    await this.#store.putOnce(backupKey(backup.id), [Buffer.from(textOfBackup(backup))]);
  }

  /** @throws DamagedFileError */
  async piece(sha256: string, of: string): Promise<Buffer> {
    const key = pieceKey(sha256);
    const bytes = await this.#store.get(key);
    const actual = bytes === null ? 'nothing' : `sha256 ${sha256Hex(bytes)}`;
    if (bytes !== null && actual === `sha256 ${sha256}`) return bytes;
    throw new DamagedFileError({
      file: this.#store.nameOf(key),
      expected: `sha256 ${sha256}, a part of ${of}`,
      actual,
      advice: 'Nothing was restored. Use another backup: `npm run backup -- list` shows them.',
    });
  }

  /** Removes all but the newest backups, and the pieces that only they needed. Returns the number of removed backups. */
  async keepNewest(count: number): Promise<number> {
    const ids = await this.ids();
    const old = ids.slice(0, Math.max(0, ids.length - count));
    if (old.length === 0) return 0;
    const needed = new Set<string>();
    for (const id of ids.slice(old.length))
      for (const { pieces } of (await this.read(id)).files) for (const piece of pieces) needed.add(piece);
    await this.#store.remove(old.map(backupKey));
    const keys = await this.#store.list(`${PIECES_FOLDER}/`);
    const unneeded = keys.filter((key) => !needed.has(key.split('/')[2] ?? ''));
    for (let start = 0; start < unneeded.length; start += REMOVED_AT_ONCE)
      await this.#store.remove(unneeded.slice(start, start + REMOVED_AT_ONCE));
    return old.length;
  }

  async #mark(id: string): Promise<void> {
    this.#renewedMs = this.#effects.nowMs();
    await this.#store.replace(RUNNING, Buffer.from(JSON.stringify({ id, at_ms: this.#renewedMs })));
    this.#writer = id;
  }

  /** Shows others that this backup goes on. Call it for every file. */
  async renew(): Promise<void> {
    const isDue = this.#effects.nowMs() - this.#renewedMs > RENEW_MS;
    if (this.#writer !== undefined && isDue) await this.#mark(this.#writer);
  }

  async #otherWriter(id: string): Promise<string | null> {
    const text = (await this.#store.get(RUNNING))?.toString('utf8');
    if (text === undefined) return null;
    const mark = parsedMark(text);
    // A time that is none, or far in the future, would stop all backups permanently.
    const isRecent = Math.abs(this.#effects.nowMs() - mark.at_ms) <= RUNNING_TTL_MS;
    return mark.id !== id && isRecent ? mark.id : null;
  }
}

function parsedMark(text: string): { readonly id: string; readonly at_ms: number } {
  try {
    const { id, at_ms } = (JSON.parse(text) ?? {}) as { readonly id?: unknown; readonly at_ms?: unknown };
    return { id: printable(String(id)), at_ms: Number(at_ms) };
  } catch (error) {
    if (error instanceof SyntaxError) return { id: '', at_ms: 0 };
    throw error;
  }
}

/** Reads every piece of a backup and compares it with its hash. @throws DamagedFileError */
export async function verifyBackup(repository: Repository, backup: Backup): Promise<void> {
  const pieces = new Map(backup.files.flatMap(({ path, pieces: own }) => own.map((piece) => [piece, path])));
  await forEachAtOnce(MAX_REQUESTS_AT_ONCE, [...pieces], async ([piece, path]) => {
    await repository.piece(piece, path);
  });
}
