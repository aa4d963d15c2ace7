// A place that holds backups: a folder or a bucket. Pieces are written first and the backup that names them last, so an interrupted backup
// leaves only pieces that the next one uses or removes.
import { createHash } from 'node:crypto';
import { forEachAtOnce } from '../../platform/base/tasks.ts';
import { randomUlid, ulidMs } from '../../platform/base/ulid.ts';
import { sha256Hex } from '../../platform/storage/canonical.ts';
import {
  DamagedFileError,
  RefusedInputError,
  UnsupportedFormatError,
} from '../../platform/storage/errors.ts';
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
import { WriterMark } from './writer-mark.ts';

/** Bounds the memory of a backup and of a restore. A changed part of a large file costs one piece. */
const PIECE_BYTES = 4 * 1_048_576;
const REMOVED_AT_ONCE = 500;

export type StoredFile = Pick<BackupFile, 'sha256' | 'bytes' | 'pieces'>;

export interface Retention {
  /** Number of backups that were removed. */
  readonly removed: number;
  /** Why backups that are kept cannot be read; empty if nothing was to be removed. */
  readonly unreadable: readonly string[];
}

export interface RepositoryEffects {
  readonly nowMs: () => number;
  /** Version of this program. */
  readonly program: string;
}

export class Repository {
  readonly #store: ObjectStore;
  readonly #effects: RepositoryEffects;
  readonly #mark: WriterMark;
  #known: Set<string> | undefined;
  addedBytes = 0;

  constructor(store: ObjectStore, effects: RepositoryEffects) {
    this.#store = store;
    this.#effects = effects;
    this.#mark = new WriterMark(store, effects.nowMs);
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

  /** Later than every id here, also if the clock was ahead before: the newest backup is the one that was made last. */
  async newId(randomBytes: (count: number) => Uint8Array): Promise<string> {
    const last = (await this.ids()).at(-1);
    const nowMs = this.#effects.nowMs();
    return randomUlid(last === undefined ? nowMs : Math.max(nowMs, ulidMs(last) + 1), randomBytes);
  }

  /** Call this before the first piece. @throws RefusedInputError if another backup is being written here */
  async begin(id: string): Promise<void> {
    await this.#mark.take(id);
    this.#known = await this.#pieces();
  }

  end = (): Promise<void> => this.#mark.release();

  /** Shows others that this backup goes on. Call it for every file. @throws RefusedInputError if another one began */
  renew = (): Promise<void> => this.#mark.renew();

  async #pieces(): Promise<Set<string>> {
    return new Set((await this.#store.list(`${PIECES_FOLDER}/`)).map(hashOfKey));
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
    await this.renew();
    if (this.#known?.has(sha256)) return sha256;
    await this.#store.putOnce(pieceKey(sha256), [bytes]);
    this.#known?.add(sha256);
    this.addedBytes += bytes.length;
    return sha256;
  }

  /**
   * The backup exists when this resolves.
   * @throws RefusedInputError if another writer began here, or a piece was removed meanwhile
   */
  async commit(backup: Backup): Promise<void> {
    const there = await this.#pieces();
    const lost = backup.files.find(({ pieces }) => pieces.some((piece) => !there.has(piece)));
    if (lost !== undefined)
      throw new RefusedInputError(
        `A part of ${lost.path} was removed from ${this.name} while the backup was written. No backup was made; repeat it.`,
      );
    await this.#mark.confirm();
    await this.#store.putOnce(backupKey(backup.id), [Buffer.from(textOfBackup(backup))]);
  }

  /** `advice`: what to do if it is damaged. @throws DamagedFileError */
  async piece(
    sha256: string,
    of: string,
    advice = 'Nothing was restored. Use another backup: `npm run backup -- list` shows them.',
  ): Promise<Buffer> {
    const key = pieceKey(sha256);
    const bytes = await this.#store.get(key);
    const actual = bytes === null ? 'nothing' : `sha256 ${sha256Hex(bytes)}`;
    if (bytes !== null && actual === `sha256 ${sha256}`) return bytes;
    throw new DamagedFileError({
      file: this.#store.nameOf(key),
      expected: `sha256 ${sha256}, a part of ${of}`,
      actual,
      advice,
    });
  }

  /**
   * Removes all but the newest backups, and the pieces that only they needed. While one that is kept cannot be read, no one knows what it
   * needs, and all pieces stay.
   */
  async keepNewest(count: number): Promise<Retention> {
    const ids = await this.ids();
    const old = ids.slice(0, Math.max(0, ids.length - count));
    if (old.length === 0) return { removed: 0, unreadable: [] };
    const { needed, unreadable } = await this.#neededBy(ids.slice(old.length));
    await this.#mark.confirm();
    await this.#store.remove(old.map(backupKey));
    const keys = unreadable.length > 0 ? [] : await this.#store.list(`${PIECES_FOLDER}/`);
    const unneeded = keys.filter((key) => !needed.has(hashOfKey(key)));
    for (let start = 0; start < unneeded.length; start += REMOVED_AT_ONCE) {
      await this.renew();
      await this.#store.remove(unneeded.slice(start, start + REMOVED_AT_ONCE));
    }
    return { removed: old.length, unreadable };
  }

  async #neededBy(ids: readonly string[]) {
    const needed = new Set<string>();
    const unreadable: string[] = [];
    for (const id of ids) {
      await this.renew();
      const backup = await this.read(id).catch(unreadableOr);
      if (typeof backup === 'string') unreadable.push(backup);
      else for (const { pieces } of backup.files) for (const piece of pieces) needed.add(piece);
    }
    return { needed, unreadable };
  }
}

const hashOfKey = (key: string): string => key.split('/')[2] ?? '';

/** Why a backup cannot be read. Throws what trying again may mend. */
function unreadableOr(error: unknown): string {
  const isLasting = error instanceof DamagedFileError || error instanceof UnsupportedFormatError;
  if (isLasting) return error.message;
  throw error;
}

const WRITE_AGAIN =
  'Every backup that needs this part is damaged. Remove it if it is there, and make a backup: that writes it again, if the installation still has the file.';

/** Reads every piece of a backup and compares it with its hash. Returns what is damaged. */
export async function verifyBackup(
  repository: Repository,
  backup: Backup,
): Promise<readonly DamagedFileError[]> {
  const pieces = new Map(backup.files.flatMap(({ path, pieces: own }) => own.map((piece) => [piece, path])));
  const damage: DamagedFileError[] = [];
  await forEachAtOnce(MAX_REQUESTS_AT_ONCE, [...pieces], async ([piece, path]) => {
    try {
      await repository.piece(piece, path, WRITE_AGAIN);
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      damage.push(error);
    }
  });
  return damage;
}
