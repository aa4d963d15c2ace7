// How assets move with another asset: β of hourly returns over the hours known for both.
import type { ReturnInputs } from '../../schemas/analytics.ts';

/** Minimum number of joint hours, two weeks. */
export const MIN_BETA_HOURS = 336;

export interface Beta {
  /** Covariance over variance; null with too few joint hours, or if the other price did not move. */
  readonly beta: number | null;
  /** Joint hours. */
  readonly hours: number;
}

export function betaOf(asset: ReturnInputs, source: ReturnInputs): Beta {
  const moves = new Map(source.hours.hour.map((hour, index) => [hour, source.hours.return[index] ?? 0]));
  const pairs = asset.hours.hour.flatMap((hour, index) => {
    const move = moves.get(hour);
    return move === undefined ? [] : [[asset.hours.return[index] ?? 0, move] as const];
  });
  const hours = pairs.length;
  if (hours < MIN_BETA_HOURS) return { beta: null, hours };
  const mean = (side: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[side], 0) / hours;
  const [own, other] = [mean(0), mean(1)];
  let covariance = 0;
  let variance = 0;
  for (const [x, y] of pairs) {
    covariance += (x - own) * (y - other);
    variance += (y - other) * (y - other);
  }
  return { beta: variance > 0 ? covariance / variance : null, hours };
}
