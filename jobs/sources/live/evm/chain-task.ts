// The input and the result of a reading of a chain.
import type { ChainSection } from './chain-section.ts';
import type { Header } from './block.ts';
import { firstBlockAfter } from './block-times.ts';
import type { Exchange, Rpc } from './rpc.ts';
import { type Directory, vaultsIn } from '../fetch/directory.ts';
import type { LiveMappingOf } from '../fetch/live-source.ts';
import type { Window } from '../fetch/plan-windows.ts';
import type { ReaderTools } from '../fetch/reader.ts';
import type { MissingSubject } from '../fetch/recording.ts';

export type ChainRow = object;

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
  /** Shared by all chains for the life of the process. */
  readonly directory: Directory;
  readonly tools: ReaderTools;
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

/** The vaults that the source names, or that its directory lists. */
export async function vaultsOf({ chain, directory, window, tools }: ChainTask): Promise<readonly string[]> {
  if (chain.directory === undefined) return lower(chain.vaults ?? chain.contracts);
  const { urgency } = window;
  return directory.list(chain.directory, (list) => vaultsIn(list, chain.id), { urgency, tools });
}

export const lower = (texts: readonly string[] | undefined) =>
  (texts ?? []).map((text) => text.toLowerCase());

/** Adds the name of its table to each row, for readings with rows of several tables. */
export const named = (tables: object): ChainRow[] =>
  Object.entries(tables).flatMap(([table, rows]) =>
    (rows as readonly object[]).map((row) => ({ table, ...row })),
  );

/** Blocks later than the start of a window and not later than its end; null if there are none. */
export async function blocksOf(rpc: Rpc, { from, to }: Pick<Window, 'from' | 'to'>, head: Header) {
  const first = await firstBlockAfter(rpc, from, head);
  if (first === null) return null;
  const after = await firstBlockAfter(rpc, to, head);
  const last = after === null ? head.number : after.number - 1;
  return last < first.number ? null : { first: first.number, last };
}
