// Where published files are kept: objects under keys such as `datasets/feeds/<sha256>.ndjson`. Both a folder and a bucket can implement
// this interface; nothing in it depends on renaming. Readers see an object completely or not at all.

/** Concurrent requests to a store: enough to hide its latency, few enough for its limits. */
export const MAX_REQUESTS_AT_ONCE = 16;

export interface ObjectStore {
  /** Location of a key, for messages; of the whole store for ''. */
  nameOf(key: string): string;
  /** Null when there is no such object. A cache may use `sha256`, the hash of the object, to find and check its copy. */
  get(key: string, sha256?: string): Promise<Buffer | null>;
  /** For objects that are replaced: 'same' if the tag is still the known one. */
  getTagged(key: string, knownTag?: string): Promise<TaggedObject | 'same' | null>;
  /** Opens an object for reading ranges; null if there is none. */
  open(key: string, sha256?: string): Promise<OpenObject | null>;
  facts(key: string): Promise<ObjectFacts | null>;
  /** Keys that begin with the prefix, which is empty or ends with a slash; sorted. */
  list(prefix: string): Promise<readonly string[]>;
  /** The next part of those keys, up to a slash; sorted. A folder may also list empty folders. */
  names(prefix: string): Promise<readonly string[]>;
  /** Writes or replaces. Durable when it resolves, like everything below except `replace`. Throws WriteFailedError. */
  put(key: string, chunks: readonly Uint8Array[]): Promise<void>;
  /** Writes an object that does not exist; of several writers, one succeeds. */
  putOnce(key: string, chunks: readonly Uint8Array[]): Promise<'made' | 'there'>;
  /** Replaces a small object that any process may replace. It may be lost if the power fails. */
  replace(key: string, bytes: Uint8Array): Promise<void>;
  /** Replaces an object that still has the expected tag, or creates one that does not exist (null). Of several writers, one wins. */
  swap(swap: Swap): Promise<SwapResult>;
  /**
   * Writes objects and then replaces one: readers that see the replaced one see all others. The last of the objects describes the others and
   * is written once they are durable, so it is never there without them.
   */
  commit(objects: readonly NewObject[], swap: Swap | Replacement): Promise<SwapResult>;
  /** Missing objects are ignored. Only one writer may remove, and not while another writes. */
  remove(keys: readonly string[]): Promise<void>;
  /** Makes objects durable that an interrupted write may have left visible but not durable. */
  settle(keys: readonly string[]): Promise<void>;
  /** Removes what an interrupted write left. Only for the single writer. */
  tidy(): Promise<void>;
}

export interface ObjectFacts {
  readonly bytes: number;
  readonly modifiedMs: number;
}

export interface TaggedObject {
  readonly bytes: Buffer;
  /** Equal bytes may have equal tags. */
  readonly tag: string;
}

export interface OpenObject {
  /** Fills the target, or less at the object's end. Returns the number of bytes. */
  read(target: Buffer, position: number): Promise<number>;
  close(): Promise<void>;
  /** Of the whole process, until the object is closed. Absent if the object is not a file of this machine. */
  readonly descriptor?: number;
}

export interface NewObject {
  readonly path: string;
  readonly chunks: readonly Uint8Array[];
}

/** Replaces an object unconditionally. */
export interface Replacement {
  readonly key: string;
  readonly bytes: Uint8Array;
}

export interface Swap extends Replacement {
  readonly expectedTag: string | null;
}

/** `lost`: the object has another tag, or another swap is under way. */
export type SwapResult = { readonly tag: string } | 'lost';
