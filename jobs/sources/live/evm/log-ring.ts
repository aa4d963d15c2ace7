// Follows logs beyond the blocks that the chain calls final, with the last blocks in a ring of (number, hash). A block that is no longer
// part of the chain is an orphan; once it is deep enough, its logs are reported as removed. A block that returns before that keeps its
// logs, and nothing is reported.
import { type Header, readHeader } from './block.ts';
import { ChainFault } from './chain-fault.ts';
import { checkLastBlock, readRange } from './log-windows.ts';
import type { LogFilter, NodeLog } from './node-log.ts';
import { type BlockRef, type Exchange, recordingRpc, type Rpc } from './rpc.ts';

/** A block with its logs, which are needed if it becomes an orphan. */
export interface RingBlock extends BlockRef {
  readonly timestamp: number;
  readonly logs: readonly NodeLog[];
}

export interface Orphan extends RingBlock {
  /** When it was first found to be gone, Unix seconds. */
  readonly goneAt: number;
  readonly isReported: boolean;
}

/** Everything that the next reading needs; recordings keep it. */
export interface FollowState {
  /** In ascending order, without holes. */
  readonly ring: readonly RingBlock[];
  readonly orphans: readonly Orphan[];
}

export interface FollowPlan {
  readonly filter: LogFilter;
  /** The newest block to follow, from the node that is read. */
  readonly head: Header;
  /** First block of all readings; reorganisations below it do not matter. */
  readonly from: number;
  /** Unix seconds. */
  readonly now: number;
  readonly depths?: FollowDepths;
}

export interface FollowDepths {
  /** Blocks in the ring; a deeper reorganisation is an error. */
  readonly ring: number;
  /** Blocks below the newest one from which an orphan counts as removed. */
  readonly removal: number;
  /** Maximum number of blocks in one step. */
  readonly step: number;
}

export const FOLLOW_DEPTHS: FollowDepths = { ring: 128, removal: 32, step: 64 };

export interface FollowStep {
  readonly state: FollowState;
  readonly added: readonly RingBlock[];
  readonly removed: readonly Orphan[];
  readonly exchanges: readonly Exchange[];
}

/** Takes one step towards the head. @throws ChainFault; `state` then remains valid */
export async function follow(node: Rpc, state: FollowState, plan: FollowPlan): Promise<FollowStep> {
  const depths = plan.depths ?? FOLLOW_DEPTHS;
  const { rpc, exchanges } = recordingRpc(node);
  const kept = await commonLength(rpc, state.ring, plan.head);
  const [oldest] = state.ring;
  if (kept === 0 && oldest !== undefined && oldest.number > plan.from)
    throw new ChainFault(
      'rewritten',
      `no block of the last ${state.ring.length} is still part of the chain: logs read so far cannot be withdrawn.`,
    );
  const base = state.ring.slice(0, kept);
  const added = await readBlocks(rpc, base.at(-1) ?? null, plan, depths);
  const grown = [...base, ...added];
  const newest = grown.at(-1)?.number ?? 0;
  const present = new Set(grown.map(({ hash }) => hash));
  const gone = state.ring.slice(kept).map((block) => ({ ...block, goneAt: plan.now, isReported: false }));
  const orphans = withoutReturned([...state.orphans, ...gone], present);
  const isDeep = ({ number, isReported }: Orphan) => !isReported && number <= newest - depths.removal;
  const remembered = orphans.filter(({ number }) => number > newest - depths.ring);
  return {
    state: {
      ring: grown.slice(-depths.ring),
      orphans: remembered.map((orphan) => (isDeep(orphan) ? { ...orphan, isReported: true } : orphan)),
    },
    added,
    removed: orphans.filter(isDeep),
    exchanges,
  };
}

/** Drops orphans that have returned. After its removal a log must not return, because no table can express that. */
function withoutReturned(orphans: readonly Orphan[], present: ReadonlySet<string>): readonly Orphan[] {
  const returned = orphans.find(
    ({ hash, isReported, logs }) => isReported && logs.length > 0 && present.has(hash),
  );
  if (returned !== undefined)
    throw new ChainFault(
      'rewritten',
      `block ${returned.number} (${returned.hash}) is part of the chain again after its logs were reported as removed.`,
    );
  return orphans.filter(({ hash }) => !present.has(hash));
}

/** How many blocks of the ring, counted from its oldest, the chain still has. */
async function commonLength(rpc: Rpc, ring: readonly RingBlock[], head: Header): Promise<number> {
  const holds = async (at: number) => {
    const block = ring[at];
    if (block === undefined || block.number > head.number) return false;
    const { hash } = block.number === head.number ? head : await readHeader(rpc, block.number);
    return hash === block.hash;
  };
  if (ring.length === 0 || (await holds(ring.length - 1))) return ring.length;
  let [common, changed] = [0, ring.length - 1];
  while (common < changed) {
    const middle = Math.floor((common + changed) / 2);
    if (await holds(middle)) common = middle + 1;
    else changed = middle;
  }
  return common;
}

async function readBlocks(
  rpc: Rpc,
  base: RingBlock | null,
  { filter, head, from }: FollowPlan,
  { step }: FollowDepths,
): Promise<readonly RingBlock[]> {
  const first = base === null ? from : base.number + 1;
  const last = Math.min(head.number, first + step - 1);
  if (last < first) return [];
  const headers = await readHeaders(rpc, { first, last, base, head });
  const to = headers.at(-1) as Header;
  const logs = await readRange(rpc, { filter, from: first, to });
  await checkLastBlock(rpc, { filter, to, logs });
  const after = await readHeader(rpc, last);
  if (after.hash !== to.hash)
    throw new ChainFault('moved', `block ${last} changed while its logs were read.`);
  const hashes = new Map(headers.map(({ number, hash }) => [number, hash]));
  const stray = logs.find(({ blockNumber, blockHash }) => hashes.get(blockNumber) !== blockHash);
  if (stray !== undefined)
    throw new ChainFault('moved', `block ${stray.blockNumber} changed while its logs were read.`);
  return headers.map(({ number, hash, timestamp }) => ({
    number,
    hash,
    timestamp,
    logs: logs.filter(({ blockNumber }) => blockNumber === number),
  }));
}

/** Headers from the base to the head, each the parent of the next. */
async function readHeaders(
  rpc: Rpc,
  {
    first,
    last,
    base,
    head,
  }: { readonly first: number; readonly last: number; readonly base: BlockRef | null; readonly head: Header },
): Promise<readonly Header[]> {
  const headers: Header[] = [];
  for (let number = first; number <= last; number++) {
    const header = number === head.number ? head : await readHeader(rpc, number);
    const parent = headers.at(-1) ?? base;
    if (parent !== null && header.parentHash !== parent.hash)
      throw new ChainFault('moved', `block ${number} does not follow the block read before it.`);
    headers.push(header);
  }
  return headers;
}
