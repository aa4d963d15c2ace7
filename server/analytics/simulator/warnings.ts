// Ways to misread the result of a simulation: shocks that nothing depends on, and shocks that continue after its end.
import type { Calculation } from '../../../models/simulator/calculate.ts';
import type { ShockKind } from '../../../schemas/shocks.ts';
import { EVERYTHING } from '../../../schemas/values.ts';
import type { SimulationFigures } from './result.ts';
import type { SimulationInputs } from './simulation-inputs.ts';
import type { ShockSpec, SimulationSpec } from './simulation-spec.ts';

type Figures = Pick<SimulationFigures, 'prices' | 'positions' | 'totals'>;

/** What the positions depend on. */
interface Dependencies {
  readonly input: Calculation['input'];
  readonly assets: readonly string[];
  /** A part of what the positions hold is unknown, so any price may matter to it. */
  readonly isAnyAsset: boolean;
  /** Likewise any market. */
  readonly isAnyMarket: boolean;
}

/** By kind of shock: what it moves, and the subject in words when the shock affects everything. */
const MOVED: Readonly<Record<ShockKind, readonly [part: string, all: string]>> = {
  price: ['price', 'any asset'],
  peg: ['peg', 'any asset'],
  oracle_freeze: ['oracle', 'any asset'],
  withdrawable: ['liquidity', 'any market'],
  utilization: ['utilization', 'any market'],
  depth: ['depth', 'any asset'],
  vault_outflow: ['deposits', 'any vault'],
};

export function warningsOf(
  { shocks, horizon_hours }: SimulationSpec,
  { calculation, limited }: Pick<SimulationInputs, 'calculation' | 'limited'>,
  figures: Figures,
): string[] {
  const dependencies = dependenciesOf(calculation.input, figures);
  const isBeyond = shocks.some(({ path }) => path.some(([hour]) => hour > horizon_hours));
  return [
    ...shocks
      .filter((shock) => !touches(shock, dependencies))
      .map(({ kind, subject }) => {
        const [part, all] = MOVED[kind];
        const of = subject === EVERYTHING ? all : subject;
        return `shock_touches_nothing: no position depends on the ${part} of ${of}`;
      }),
    ...partialTotals(figures),
    ...(isBeyond ? ['path_cut_off: the shocks continue beyond the horizon'] : []),
    ...[...limited].map(
      ([id, usd]) =>
        `withdrawable_limited: ${id} reports ${usd.toFixed(2)} USD as withdrawable, which is more than is supplied and not borrowed; the latter is used`,
    ),
  ];
}

function partialTotals({ positions, totals }: Figures): string[] {
  const left = positions.filter(({ loss_usd }) => loss_usd === null).map(({ id }) => id);
  if (left.length === 0) return [];
  const share = Number((totals.covered_share * 100).toFixed(4));
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : '';
  return [
    `totals_partial: the totals cover ${share} % of the positions; the loss is not known of ${left.slice(0, MAX_NAMED).join(', ')}${more}`,
  ];
}

const MAX_NAMED = 5;

function dependenciesOf(input: Calculation['input'], { prices }: Figures): Dependencies {
  const { markets, vaults, missing } = input;
  const named = (missing?.loans ?? []).flatMap(({ collateral, debt }) => [...collateral, ...debt]);
  const isHidden = (missing?.vaults.length ?? 0) > 0 || vaults.some(({ unknown_usd }) => unknown_usd > 0);
  return {
    input,
    assets: [...new Set([...prices, ...named].map(({ asset }) => asset))],
    isAnyAsset:
      isHidden ||
      (missing?.markets.length ?? 0) > 0 ||
      markets.some(({ collateral, loans }) => loans === null && collateral === null),
    isAnyMarket: isHidden,
  };
}

function touches({ kind, subject, path, others }: ShockSpec, dependencies: Dependencies): boolean {
  const { input, assets, isAnyAsset, isAnyMarket } = dependencies;
  const markets = [...input.markets, ...(input.missing?.markets ?? [])].map(({ id }) => id);
  const vaults = [...input.vaults, ...(input.missing?.vaults ?? [])].map(({ id }) => id);
  const isOneOf = (ids: readonly string[]) =>
    subject === EVERYTHING ? ids.length > 0 : ids.includes(subject);
  switch (kind) {
    case 'price':
    case 'peg':
    case 'depth':
      // Assets that follow by their β depend on the price of the subject.
      return isAnyAsset || isOneOf(assets) || (others === 'beta' && assets.length > 0);
    case 'oracle_freeze':
      return isAnyAsset || isAnyMarket || isOneOf([...assets, ...markets]);
    case 'withdrawable':
    case 'utilization':
      return isAnyMarket || isOneOf(markets);
    case 'vault_outflow':
      // A shock to a curator has become one shock for each of its vaults.
      return isOneOf(vaults) || input.shocks.some((own) => own.path === path && vaults.includes(own.subject));
  }
}
