// The interface of readers, which every kind of source shares. A reader yields the pages of a window as they arrive and throws a NetFault
// if the window cannot be read completely; it writes nothing.
import type { NetClient } from '../http/client.ts';
import type { Values } from '../http/template.ts';
import type { LiveSource } from './live-source.ts';
import type { Window } from './plan-windows.ts';
import type { ReadingSize } from './reading-size.ts';
import type { MissingSubject, Recording } from './recording.ts';
import type { ReceivedPage, RecordingFolder } from './recording-store.ts';

export interface ReaderTools {
  readonly client: NetClient;
  /** Values of the environment variables that the source needs. */
  readonly secrets: Values;
  /** Unix seconds. */
  readonly now: () => number;
  readonly folder: RecordingFolder;
  readonly git: GitTools;
  /** What the reading may still take. */
  readonly size: ReadingSize;
}

/** What git needs from its environment. */
export interface GitTools {
  /** Value of PATH. */
  readonly path: string;
  /** The secret of this installation that turns the addresses of authors into pseudonyms. */
  readonly pseudonymKey: () => string;
}

export interface PageReading extends ReceivedPage {
  /** Records as values, for guards. */
  readonly records: readonly unknown[];
  /** When the source produced the body, Unix seconds. */
  readonly as_of: number;
  /** Time by the server's clock, Unix seconds; null if the server does not state it. */
  readonly server_time: number | null;
  /** What makes the whole reading unusable, in words. */
  readonly doubt?: string;
  /** The block up to which a chain was read. */
  readonly block?: Recording['block'];
  /** How far the page reads, if not to the end of the window: the time of `block`, Unix seconds. */
  readonly read_to?: number;
  /** Subjects that could not be read. */
  readonly missing?: readonly MissingSubject[];
  /** State from which the next reading of the partition continues; a JSON value. */
  readonly state?: unknown;
}

/** What earlier readings of the partition left. */
export interface EarlierRecordings {
  /** Recordings that read something, oldest first. */
  readonly recordings: readonly Recording[];
  /** The state that the newest of them left; null if none did or if it is damaged. */
  readonly state: () => Promise<unknown>;
}

/** Returns the rule that ended the reading, in words. */
export type Reader = (
  source: LiveSource,
  window: Window,
  tools: ReaderTools,
  earlier: EarlierRecordings,
) => AsyncGenerator<PageReading, string | null>;
