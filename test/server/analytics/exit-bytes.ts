// Ten exits whose figures must have the same bytes everywhere, as hashes. Imports only what runs on any Node without types.
import { type ExitOrder, joinParts, partOf, sharesOf } from '../../../models/exit-parts.ts';
import { basisOf, outcomeOf } from '../../../models/exit-run.ts';
import { canonicalJson, sha256Hex } from '../../../platform/storage/canonical.ts';
import { marketInputs, returnInputs } from '../../support/analytics-inputs.ts';

const order = (more: Partial<ExitOrder>): ExitOrder => ({
  position_usd: 2_500_000,
  horizon_hours: 24,
  paths: 1_000,
  max_slippage_bps: 100,
  confidence: [0.95, 0.99],
  slices: 1,
  seed: 1,
  initial_utilization: null,
  ...more,
});

const ORDERS: readonly ExitOrder[] = [
  order({}),
  order({ seed: 2 ** 53 - 1 }),
  order({ seed: 0, paths: 100, horizon_hours: 1 }),
  order({ horizon_hours: 720, slices: 720 }),
  order({ horizon_hours: 168, slices: 7, paths: 999 }),
  order({ paths: 6_001 }),
  order({ position_usd: 1e12 }),
  order({ position_usd: 1, max_slippage_bps: 1 }),
  order({ initial_utilization: 1, horizon_hours: 100 }),
  order({ confidence: [0.5, 0.75, 0.9, 0.999], max_slippage_bps: 10_000, position_usd: 4_321_000.55 }),
];

/** SHA-256 of each exit, computed by that many workers. */
export function exitHashes(workers: number): readonly string[] {
  const sources = { exit: marketInputs({ hours: 1_500 }), returns: returnInputs(1_400) };
  return ORDERS.map((each) => {
    const basis = basisOf(sources, each);
    const simulated = sharesOf(each, workers).map((share) => partOf(basis, each, share));
    const outcome = outcomeOf(basis, each, joinParts(simulated), null);
    return sha256Hex(canonicalJson(outcome));
  });
}
