// The input and the result of a reading of a chain.
import type { ChainSection } from './chain-section.ts';
import type { Header } from './block.ts';
import type { Feed } from './feed-abi.ts';
import type { Exchange, Rpc } from './rpc.ts';
import type { LiveMappingOf, Window } from '../fetch/live-source.ts';
import type { MissingSubject } from '../fetch/recording.ts';

export type ChainRow = object;

export interface ListedContracts {
  readonly feeds: () => Promise<readonly Feed[]>;
  readonly vaults: () => Promise<readonly string[]>;
}

export interface ChainTask {
  readonly chain: ChainSection;
  /** Name of the chain in rows. */
  readonly name: string;
  readonly window: Window;
  /** How far back the source is read, seconds. */
  readonly historyS: number;
  readonly head: Header;
  /** State that the newest earlier reading left; null if there is none. */
  readonly state: unknown;
  /** How its rows become rows of tables. */
  readonly mappings: readonly LiveMappingOf[];
  /** What its directory lists; nothing without one. @throws NetFault */
  readonly listed: ListedContracts;
  /** Unix seconds. */
  readonly now: () => number;
}

export interface ChainReading {
  readonly rows: readonly ChainRow[];
  readonly exchanges: readonly Exchange[];
  /** What could not be read, with the reason. */
  readonly missing: readonly MissingSubject[];
  /** State from which the next reading continues; omitted if it starts from nothing. */
  readonly state?: unknown;
}

export type ChainReader = (rpc: Rpc, task: ChainTask) => Promise<ChainReading>;

export const lower = (texts: readonly string[] | undefined) =>
  (texts ?? []).map((text) => text.toLowerCase());

/** Adds the name of its table to each row, for readings with rows of several tables. */
export const named = (tables: object): ChainRow[] =>
  Object.entries(tables).flatMap(([table, rows]) =>
    (rows as readonly object[]).map((row) => ({ table, ...row })),
  );
