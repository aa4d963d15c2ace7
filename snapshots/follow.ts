// Keeps a reader on the newest good version: loads each new version completely before it replaces the one in use, keeps the current version
// when the new one is damaged, and returns to an older version only when the one in use was retracted.
import { LastFault, SingleFlight } from '../platform/base/tasks.ts';
import { DamagedFileError } from '../platform/storage/errors.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { openHistory } from './history.ts';
import { type Candidate, candidates } from './last-good.ts';
import { POINTER_FILE, type Pointer } from './layout.ts';
import { isRetracted, listVersions, openVersion, readPointer, type VersionReader } from './read.ts';

export interface FollowedVersion<T> {
  readonly reader: VersionReader;
  readonly value: T;
}

export interface FollowOptions<T> {
  /** Reads what the program needs of a version. When it throws, the version is not used. */
  readonly load: (reader: VersionReader, previous: FollowedVersion<T> | null) => Promise<T>;
  readonly onSwap?: (followed: FollowedVersion<T>) => void;
  /** A newer version cannot be used; `kept` is the version that stays in use. Called once per distinct fault. */
  readonly onFault: (error: Error, kept: string | null) => void;
  /** Calls `poll` repeatedly (a timer, a file watch) until the returned function is called. */
  readonly repeat: (poll: () => void) => () => void;
}

export interface Follower<T> {
  current(): FollowedVersion<T> | null;
  /** The fault of the last poll; null when the newest version is in use or nothing has been published yet. */
  fault(): Error | null;
  /** Checks for a newer version now; never throws. */
  poll(): Promise<void>;
  /** Stops polling; resolves when a poll in progress has finished. */
  stop(): Promise<void>;
}

/** Resolves after the first poll of the folder. */
export async function followSnapshots<T>(
  store: ObjectStore,
  options: FollowOptions<T>,
): Promise<Follower<T>> {
  const follower = new SnapshotFollower(store, options);
  await follower.poll();
  follower.start();
  return follower;
}

/** A version that cannot be loaded is retried after 1, 2, 4, … polls, at most this many. */
const MAX_POLLS_BETWEEN_TRIES = 64;

/** A first publication places its manifest before its pointer; only after this many polls in between is the pointer missing. */
const POLLS_OF_FIRST_PUBLICATION = 64;

class SnapshotFollower<T> implements Follower<T> {
  #current: FollowedVersion<T> | null = null;
  readonly #fault = new LastFault();
  /** Why the version in use may not be the newest; cleared when another version comes into use. */
  #doubt: Error | null = null;
  readonly #polling = new SingleFlight(() => this.#look());
  #cancel: () => void = () => {};
  #failed: { pointer: string; tries: number; pollsLeft: number } | null = null;
  /** Polls left for the pointer of the first version; 0 unless this reader has seen the folder without any version. */
  #firstPollsLeft = 0;
  readonly #store: ObjectStore;
  readonly #options: FollowOptions<T>;

  constructor(store: ObjectStore, options: FollowOptions<T>) {
    this.#store = store;
    this.#options = options;
  }

  current = (): FollowedVersion<T> | null => this.#current;

  fault = (): Error | null => this.#fault.error ?? null;

  start(): void {
    this.#cancel = this.#options.repeat(() => void this.poll());
  }

  poll(): Promise<void> {
    return this.#polling.join();
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#polling.running;
  }

  async #look(): Promise<void> {
    try {
      const pointer = await readPointer(this.#store);
      if (pointer === null) return await this.#withoutPointer();
      if (pointer.version === this.#current?.reader.version) return this.#stay(this.#current.reader, pointer);
      await this.#advance(pointer);
    } catch (error) {
      this.#report(asError(error));
      if (this.#current === null) await this.#fallBack();
    }
  }

  /** A pointer that names the version in use with a different hash was altered, but hides nothing newer. */
  #stay({ version, manifestSha256 }: VersionReader, { manifest_sha256 }: Pointer): void {
    if (this.#doubt !== null) throw this.#doubt;
    if (manifest_sha256 === manifestSha256) {
      this.#settle();
      return;
    }
    throw new DamagedFileError({
      file: this.#store.nameOf(POINTER_FILE),
      expected: `manifest_sha256 ${manifestSha256} of version ${version}`,
      actual: manifest_sha256,
      advice: 'The next publication replaces it; the version is served as it is.',
    });
  }

  async #withoutPointer(): Promise<void> {
    if (this.#current === null) {
      if (!(await this.#isBeforeFirst())) await this.#fallBack();
      return;
    }
    this.#report(
      new DamagedFileError({
        file: this.#store.nameOf(POINTER_FILE),
        expected: 'a pointer',
        actual: 'nothing',
        advice: 'Publish again to replace it: the last good version is served until then.',
      }),
    );
  }

  /** Nothing has been published yet, or the first publication is at work. */
  async #isBeforeFirst(): Promise<boolean> {
    if ((await listVersions(this.#store)).length > 0) return this.#firstPollsLeft-- > 0;
    this.#firstPollsLeft = POLLS_OF_FIRST_PUBLICATION;
    return true;
  }

  async #advance(pointer: Candidate): Promise<void> {
    const kept = this.#current?.reader.version;
    const isOlder = kept !== undefined && pointer.version < kept;
    if (isOlder && !(await isRetracted(this.#store, kept)))
      throw new Error(
        `The pointer went back from version ${kept} to ${pointer.version}; ${kept} stays in use.`,
      );
    if (!this.#isDue(pointer)) return;
    try {
      const isStart = this.#current === null;
      await this.#use(pointer);
      this.#settle();
      this.#doubt = isStart ? await this.#doubtOf() : null;
      if (this.#doubt !== null) this.#report(this.#doubt);
    } catch (error) {
      this.#postpone(pointer);
      throw error;
    }
  }

  /** A starting reader has seen nothing newer, so it checks the folder to see whether the pointer is outdated. */
  async #doubtOf(): Promise<Error | null> {
    try {
      return (await openHistory(this.#store)).damage[0] ?? null;
    } catch (error) {
      return asError(error);
    }
  }

  async #use({ version, manifest_sha256 }: Candidate): Promise<void> {
    const reader = await openVersion(this.#store, version, manifest_sha256);
    const value = await this.#options.load(reader, this.#current);
    this.#current = { reader, value };
    this.#options.onSwap?.(this.#current);
  }

  /** At start, if the newest version cannot be used: uses the newest usable one. */
  async #fallBack(): Promise<void> {
    const damage: DamagedFileError[] = [];
    try {
      for await (const candidate of candidates(this.#store, damage)) if (await this.#canUse(candidate)) break;
    } catch (error) {
      this.#report(asError(error));
    }
    for (const error of damage) this.#report(error);
  }

  async #canUse(candidate: Candidate): Promise<boolean> {
    try {
      await this.#use(candidate);
      return true;
    } catch (error) {
      this.#report(asError(error));
      return false;
    }
  }

  #isDue({ version, manifest_sha256 }: Candidate): boolean {
    if (this.#failed?.pointer !== `${version} ${manifest_sha256}`) return true;
    this.#failed.pollsLeft--;
    return this.#failed.pollsLeft <= 0;
  }

  #postpone({ version, manifest_sha256 }: Candidate): void {
    const pointer = `${version} ${manifest_sha256}`;
    const tries = this.#failed?.pointer === pointer ? this.#failed.tries + 1 : 0;
    this.#failed = { pointer, tries, pollsLeft: Math.min(2 ** tries, MAX_POLLS_BETWEEN_TRIES) };
  }

  #settle(): void {
    this.#fault.clear();
    this.#failed = null;
  }

  #report(error: Error): void {
    if (this.#fault.note(error) !== undefined)
      this.#options.onFault(error, this.#current?.reader.version ?? null);
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
