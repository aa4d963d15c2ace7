// The interface of readers, which every kind of source shares. A reader yields the pages of a window as they arrive and throws a NetFault
// if the window cannot be read completely; it writes nothing.
import type { NetClient } from '../http/client.ts';
import type { Values } from '../http/template.ts';
import type { LiveSource, Window } from './live-source.ts';
import type { ReadingSize } from './reading-size.ts';
import type { Recording } from './recording.ts';
import type { PageReading, RecordingFolder } from './recording-store.ts';

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
