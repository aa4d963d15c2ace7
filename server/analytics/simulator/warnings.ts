// Ways to misread the result of a simulation: shocks that nothing depends on, and shocks that continue after its end.
import type { Calculation } from '../../../models/simulator/calculate.ts';
import { EVERYTHING } from '../../../schemas/shock-subject.ts';
import type { ShockKind } from '../../../schemas/shocks.ts';
import type { SimulationInputs } from './simulation-inputs.ts';
import type { ShockSpec, SimulationSpec } from './simulation-spec.ts';

/** What the positions depend on. */
export interface Touched {
  readonly input: Pick<Calculation['input'], 'markets' | 'vaults' | 'shocks'>;
  readonly prices: Prices;
}

type Prices = readonly { readonly asset: string }[];

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
  prices: Prices,
): string[] {
  const touched: Touched = { input: calculation.input, prices };
  const isBeyond = shocks.some(({ path }) => path.some(([hour]) => hour > horizon_hours));
  return [
    ...shocks
      .filter((shock) => !touches(shock, touched))
      .map(({ kind, subject }) => {
        const [part, all] = MOVED[kind];
        const of = subject === EVERYTHING ? all : subject;
        return `shock_touches_nothing: no position depends on the ${part} of ${of}`;
      }),
    ...(isBeyond ? ['path_cut_off: the shocks continue beyond the horizon'] : []),
    ...[...limited].map(
      ([id, usd]) =>
        `withdrawable_limited: ${id} reports ${usd.toFixed(2)} USD as withdrawable, which is more than is supplied and not borrowed; the latter is used`,
    ),
  ];
}

function touches({ kind, subject, path }: ShockSpec, { input, prices }: Touched): boolean {
  const assets = prices.map(({ asset }) => asset);
  const markets = input.markets.map(({ id }) => id);
  const vaults = input.vaults.map(({ id }) => id);
  const isOneOf = (ids: readonly string[]) =>
    subject === EVERYTHING ? ids.length > 0 : ids.includes(subject);
  switch (kind) {
    case 'price':
    case 'peg':
    case 'depth':
      return isOneOf(assets);
    case 'oracle_freeze':
      return isOneOf([...assets, ...markets]);
    case 'withdrawable':
    case 'utilization':
      return isOneOf(markets);
    case 'vault_outflow':
      // A shock to a curator has become one shock for each of its vaults.
      return isOneOf(vaults) || input.shocks.some((own) => own.path === path && vaults.includes(own.subject));
  }
}
