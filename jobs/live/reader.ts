// What reads a window: the interface that every kind of source shares. A reader yields pages as they arrive and throws a NetFault when the
// window cannot be read whole; it writes nothing.
import type { NetClient } from '../net/client.ts';
import type { Values } from '../net/template.ts';
import type { LiveSource } from './live-source.ts';
import type { Window } from './plan-windows.ts';
import type { MissingSubject, Recording } from './recording.ts';
import type { ReceivedPage, RecordingPlace } from './recording-store.ts';

export interface ReaderTools {
  readonly client: NetClient;
  /** Values of the environment variables that the source needs. */
  readonly secrets: Values;
  /** Unix seconds. */
  readonly now: () => number;
  readonly place: RecordingPlace;
  readonly git: GitTools;
}

/** What git needs of its surroundings. */
export interface GitTools {
  /** Value of PATH. */
  readonly path: string;
  /** The secret of this installation with which the addresses of authors become pseudonyms. */
  readonly pseudonymKey: () => string;
}

export interface ReadPage extends ReceivedPage {
  /** Records as values, for guards. */
  readonly records: readonly unknown[];
  /** When the body was made, Unix seconds. */
  readonly as_of: number;
  /** By the server's clock, Unix seconds; null when it says nothing. */
  readonly server_time: number | null;
  /** The block up to which a chain was read. */
  readonly block?: Recording['block'];
  /** How far the page reads, when it is not the end of the window: the time of `block`, Unix seconds. */
  readonly read_to?: number;
  /** Subjects that could not be read. */
  readonly missing?: readonly MissingSubject[];
  /** What the next reading of the partition is to continue from; a value of JSON. */
  readonly state?: unknown;
}

/** What earlier readings of the partition left. */
export interface Earlier {
  /** Those that read something, oldest first. */
  readonly recordings: readonly Recording[];
  /** The state that the newest of them left; null where none did, or where it is damaged. */
  readonly state: () => Promise<unknown>;
}

/** Returns the rule by which reading ended, in words. */
export type Reader = (
  source: LiveSource,
  window: Window,
  tools: ReaderTools,
  earlier: Earlier,
) => AsyncGenerator<ReadPage, string | null>;
