// The positions of a portfolio in vaults, and the vaults inside those, as a version publishes them.
import type { SetVault } from '../../../models/vault-flow.ts';
import type { SetPosition } from '../../../models/vault-set-exit.ts';
import type { Manifest } from '../../../snapshots/layout.ts';
import { heldUnlisted } from '../../../snapshots/verdict.ts';
import { isVaultHeld, publishedVaults } from '../published-vaults.ts';
import type { VersionInputs } from '../version-inputs.ts';
import type { PositionInput, VaultPositions } from './portfolio-input.ts';

const NODE = 'vault:';

/** Positions in the same vault are one. A vault without published state is part of the set, and unknown. */
export function vaultPositions(
  inputs: VersionInputs,
  manifest: Manifest,
  positions: readonly PositionInput[],
): VaultPositions {
  const { vaultOf } = publishedVaults({
    manifest,
    dataset(id) {
      const documents = inputs.documents(id);
      return documents && { documents };
    },
  });
  const amounts = new Map<string, number>();
  for (const { opportunity, nodes, amount_usd } of positions) {
    const key = `${opportunity.chain}|${opportunity.address?.toLowerCase()}`;
    const isVault =
      vaultOf(key) !== undefined || isVaultHeld(manifest, key) || nodes.some((node) => node.startsWith(NODE));
    if (isVault) amounts.set(key, (amounts.get(key) ?? 0) + amount_usd);
  }
  const found = [...amounts].map(([key, value]): SetPosition => {
    const [chain = '', vault_address = ''] = key.split('|');
    const gap = isVaultHeld(manifest, key) ? 'held_back' : 'no_state';
    return { chain, vault_address, vault: vaultOf(key), gap, amount: { unit: 'usd', value } };
  });
  return {
    positions: found,
    inside: insideOf(
      found.flatMap(({ vault }) => vault ?? []),
      vaultOf,
    ),
    isDoubtful: heldUnlisted(manifest) !== undefined,
  };
}

/** The vaults that vaults hold, and those that these hold. */
function insideOf(
  vaults: readonly SetVault[],
  vaultOf: (key: string) => SetVault | undefined,
): readonly SetVault[] {
  const found = new Map<string, SetVault>();
  const waiting = [...vaults];
  for (let vault = waiting.pop(); vault !== undefined; vault = waiting.pop())
    for (const { held_kind, held } of vault.holdings?.holdings ?? []) {
      const key = `${vault.row.chain}|${held}`;
      const inner = held_kind !== 'vault' || found.has(key) ? undefined : vaultOf(key);
      if (inner === undefined) continue;
      found.set(key, inner);
      waiting.push(inner);
    }
  return [...found.values()];
}
