// Closed forms of geometric Brownian motion and of Merton's jumps, as printed in Haug's collection: what simulations are compared with.
import { erfc } from '../../models/elementary.ts';

/** Standard normal distribution function. */
export const normalCdf = (x: number): number =>
  x < 0 ? erfc(-x / Math.SQRT2) / 2 : 1 - erfc(x / Math.SQRT2) / 2;

export interface Motion {
  readonly spot: number;
  /** Carry less half the variance, per year. */
  readonly drift: number;
  readonly volatility: number;
  readonly years: number;
}

const spread = ({ volatility, years }: Motion) => volatility * Math.sqrt(years);

/** Probability of ending below a level. */
export const endsBelow = (motion: Motion, level: number): number =>
  normalCdf((Math.log(level / motion.spot) - motion.drift * motion.years) / spread(motion));

/** Probability of touching a level on the way, observed continuously. */
export function touches(motion: Motion, level: number): number {
  const { spot, drift, volatility, years } = motion;
  const distance = Math.log(level / spot);
  const side = distance < 0 ? 1 : -1;
  const mirrored = (level / spot) ** ((2 * drift) / volatility ** 2);
  return (
    normalCdf((side * (distance - drift * years)) / spread(motion)) +
    mirrored * normalCdf((side * (distance + drift * years)) / spread(motion))
  );
}

/** ζ(½) / √(2π), negated: how far a level moves away when it is observed only at steps (Broadie, Glasserman and Kou 1997). */
const STEP_SHIFT = 0.5826;

export const touchesAtSteps = (motion: Motion, level: number, steps: number): number => {
  const shift = STEP_SHIFT * motion.volatility * Math.sqrt(motion.years / steps);
  return touches(motion, level * Math.exp(level < motion.spot ? -shift : shift));
};

interface Option {
  readonly spot: number;
  readonly strike: number;
  readonly years: number;
  readonly rate: number;
}

export function blackScholesCall({ spot, strike, years, rate }: Option, volatility: number): number {
  const deviation = volatility * Math.sqrt(years);
  const d1 = (Math.log(spot / strike) + rate * years) / deviation + deviation / 2;
  return spot * normalCdf(d1) - strike * Math.exp(-rate * years) * normalCdf(d1 - deviation);
}

export interface Jumps {
  /** Standard deviation per year, jumps included. */
  readonly volatility: number;
  /** Jumps per year. */
  readonly intensity: number;
  /** Share of the variance that jumps explain. */
  readonly share: number;
}

/** Merton's call: Black–Scholes calls with the variance of 0, 1, 2 … jumps, weighted by their Poisson probabilities. */
export function mertonCall(option: Option, { volatility, intensity, share }: Jumps): number {
  const variance = volatility ** 2;
  let probability = Math.exp(-intensity * option.years);
  let price = 0;
  for (let jumps = 0; jumps < 80; jumps++) {
    const own = (1 - share) * variance + ((share * variance) / intensity) * (jumps / option.years);
    price += probability * blackScholesCall(option, Math.sqrt(own));
    probability *= (intensity * option.years) / (jumps + 1);
  }
  return price;
}

/** The normal quantile, by bisection. */
export function normalQuantile(level: number): number {
  let [low, high] = [-40, 40];
  while (high - low > 1e-12) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < level) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
