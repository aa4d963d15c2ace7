// The changes that wait for their timelock as version 1 vaults of Morpho state them. Models take them from logs; a log that is missing shows
// in what the contract itself states at the same block.
import { contractFunction } from '../../../../../platform/base/contract-abi.ts';
import { type Ask, askEach, complete, NO_ADDRESS, question } from '../contract-call.ts';
import { MORPHO_CONFIG } from './cap-ids.ts';
import type { VaultDraft } from './vault-totals.ts';

const TIMELOCK = contractFunction('pendingTimelock', {}, { value: 'uint192', validAt: 'uint64' });
const GUARDIAN = contractFunction('pendingGuardian', {}, { value: 'address', validAt: 'uint64' });
const OWNER = contractFunction('pendingOwner', {}, 'address');
const CAP = contractFunction('pendingCap', { id: 'bytes32' }, { value: 'uint192', validAt: 'uint64' });

/** By vault, what waits as `key@second`, sorted and joined by spaces, or `none`. A vault that does not answer everything is left out. */
export async function readPending(
  ask: Ask,
  drafts: readonly VaultDraft[],
): Promise<ReadonlyMap<string, string>> {
  const own = drafts.filter(({ facts: { kind } }) => kind === 'morpho_v1_0' || kind === 'morpho_v1_1');
  const roles = await askEach(
    ask,
    own,
    ({ vault }) => ({
      timelock: question(TIMELOCK, vault),
      guardian: question(GUARDIAN, vault),
      owner: question(OWNER, vault),
    }),
    { mayRevert: true },
  );
  const caps = await readPendingCaps(ask, own);
  return new Map(
    roles.flatMap(({ item: { vault }, answers }): [string, string][] => {
      const known = complete(answers);
      const markets = caps.get(vault) ?? [];
      if (typeof known === 'string' || markets.includes(null)) return [];
      const entries = [
        ...entry('timelock', known.timelock.validAt),
        ...entry('guardian', known.guardian.validAt),
        ...(known.owner === NO_ADDRESS ? [] : ['owner@0']),
        ...markets.flatMap((market) => market ?? []),
      ];
      return [[vault, entries.sort().join(' ') || 'none']];
    }),
  );
}

/** By vault, what waits in each market that it holds; null for one that does not answer. */
async function readPendingCaps(ask: Ask, drafts: readonly VaultDraft[]) {
  const markets = await askEach(
    ask,
    drafts.flatMap(({ vault, holdings }) => holdings.map(({ held }) => ({ vault, held }))),
    ({ vault, held }) => ({
      cap: question(CAP, vault, { id: held }),
      config: question(MORPHO_CONFIG, vault, { id: held }),
    }),
    { mayRevert: true },
  );
  const found = markets.map(({ item: { vault, held }, answers: { cap, config } }) => {
    if (cap === null || config === null) return { vault, entries: null };
    const entries = [...entry(`cap|${held}`, cap.validAt), ...entry(`removal|${held}`, config.removableAt)];
    return { vault, entries };
  });
  const byVault = Map.groupBy(found, ({ vault }) => vault);
  return new Map([...byVault].map(([vault, all]) => [vault, all.map(({ entries }) => entries)]));
}

const entry = (key: string, second: bigint): string[] => (second === 0n ? [] : [`${key}@${second}`]);
