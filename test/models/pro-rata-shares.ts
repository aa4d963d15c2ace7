// What holders of one market and of a vault in it get, worked out by hand for one hour: nothing is liquidated, all prices are 1, and the
// collateral is worth `covered` of the debts. Independent of models/simulator.
export interface LiquidityCase {
  readonly supplied: number;
  readonly borrowed: number;
  readonly free: number;
  readonly covered: number;
  /** Share of the free liquidity that a run leaves. */
  readonly leftByRun: number;
  readonly vault: { readonly held: number; readonly idle: number; readonly leftByOutflow: number };
  readonly positions: readonly { readonly kind: 'supply' | 'vault'; readonly usd: number }[];
}

export interface Holding {
  readonly value: number;
  readonly withdrawable: number;
}

export function shareOut(one: LiquidityCase, isFirst: boolean): readonly Holding[] {
  const { supplied, borrowed, vault, positions } = one;
  const sum = (kind: 'supply' | 'vault') =>
    positions.reduce((total, position) => total + (position.kind === kind ? position.usd : 0), 0);
  const direct = sum('supply');
  const shares = sum('vault');
  // Other suppliers run and take what they can; then other depositors of the vault.
  let free = one.free * one.leftByRun;
  let claims = supplied - Math.min(one.free - free, Math.max(0, supplied - direct - vault.held));
  let { held, idle } = vault;
  const leaving = Math.min((held + idle) * (1 - vault.leftByOutflow), held + idle - shares);
  const fromIdle = Math.min(leaving, idle);
  const fromMarket = Math.min(leaving - fromIdle, held, free);
  const total = held + idle - fromIdle - fromMarket;
  [idle, held, free, claims] = [idle - fromIdle, held - fromMarket, free - fromMarket, claims - fromMarket];
  const uncovered = borrowed * (1 - one.covered);
  if (!isFirst) {
    const perClaim = { value: 1 - uncovered / claims, withdrawable: free / claims };
    const perShare = {
      value: (idle + held * perClaim.value) / total,
      withdrawable: (idle + held * perClaim.withdrawable) / total,
    };
    return positions.map(({ kind, usd }) => times(kind === 'supply' ? perClaim : perShare, usd));
  }
  // The positions take what is free; what they cannot take waits next to the claims of all others.
  const inIdle = Math.min(shares, idle);
  const inMarket = shares - inIdle;
  const out = Math.min(free, direct + inMarket);
  const paid = direct + inMarket > 0 ? out / (direct + inMarket) : 0;
  const perClaim = {
    value: paid + (1 - paid) * (1 - (claims > out ? uncovered / (claims - out) : 0)),
    withdrawable: paid,
  };
  const perShare = {
    value: (inIdle + inMarket * perClaim.value) / shares,
    withdrawable: (inIdle + inMarket * perClaim.withdrawable) / shares,
  };
  return positions.map(({ kind, usd }) => times(kind === 'supply' ? perClaim : perShare, usd));
}

const times = ({ value, withdrawable }: Holding, usd: number): Holding => ({
  value: value * usd,
  withdrawable: withdrawable * usd,
});
