// What the oracles behind a simulated position make doubtful before any shock: of a supply position or a vault. Loans have none.
import { oracleDoubtsOf } from '../../../models/oracle-doubts.ts';
import type { SimulatedVault } from '../../../models/simulator/inputs.ts';
import type { OracleDoubts } from '../../../schemas/oracle-doubts.ts';
import { oracleRowsOf } from '../oracle-doubts.ts';
import type { PublishedDocuments } from './published-documents.ts';
import type { SimulationSpec } from './simulation-spec.ts';

interface Inputs {
  readonly published: PublishedDocuments;
  readonly vaults: readonly SimulatedVault[];
}

/** `results`: in the order of the request. */
export const withDoubts = <Result>(
  results: readonly Result[],
  { positions }: SimulationSpec,
  inputs: Inputs,
): (Result & { oracle_doubts: OracleDoubts | null })[] =>
  results.map((result, index) => {
    const position = positions[index];
    return { ...result, oracle_doubts: position === undefined ? null : doubtsOf(position, inputs) };
  });

function doubtsOf(
  { kind, market, vault, amount_usd = 0 }: SimulationSpec['positions'][number],
  { published, vaults }: Inputs,
): OracleDoubts | null {
  if (kind !== 'supply' && kind !== 'vault') return null;
  const claims =
    kind === 'supply'
      ? { claims: [{ market: market ?? '', amount_usd }], hiddenShare: 0 }
      : vaultClaims(
          amount_usd,
          vaults.find(({ id }) => id === vault),
        );
  return oracleDoubtsOf({ ...oracleRowsOf(published), ...claims });
}

/** A vault of which nothing is known may have lent everything. */
function vaultClaims(amount_usd: number, vault: SimulatedVault | undefined) {
  const lent = vault?.holdings.reduce((sum, { usd }) => sum + usd, 0) ?? 0;
  const total = lent + (vault?.idle_usd ?? 0) + (vault?.unknown_usd ?? 0);
  if (vault === undefined || total <= 0) return { claims: [], hiddenShare: 1 };
  return {
    claims: vault.holdings.map(({ market, usd }) => ({ market, amount_usd: (amount_usd * usd) / total })),
    hiddenShare: vault.unknown_usd / total,
  };
}
