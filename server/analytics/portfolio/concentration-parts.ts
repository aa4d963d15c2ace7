// Parts of a portfolio by key, with bounds for their concentration where a share is unknown.
import { roundTo, share, usd } from '../../../models/rounding.ts';
import type { ConcentrationParts } from '../../../schemas/portfolio-concentration.ts';

/** Shares of the whole. The key null stands for the unknown part. */
export function partsOf(amounts: ReadonlyMap<string | null, number>): ConcentrationParts {
  const total = [...amounts.values()].reduce((sum, amount) => sum + amount, 0);
  const unknown = (amounts.get(null) ?? 0) / total;
  const parts = [...amounts]
    .flatMap(([key, amount_usd]) => (key === null ? [] : [{ key, amount_usd, share: amount_usd / total }]))
    .toSorted((a, b) => b.amount_usd - a.amount_usd || (a.key < b.key ? -1 : 1));
  const hhi_min = parts.reduce((sum, part) => sum + part.share * part.share, 0);
  const largest = parts[0]?.share;
  const isKnown = largest !== undefined;
  const hhi = isKnown ? hhi_min - largest * largest + (largest + unknown) * (largest + unknown) : null;
  return {
    parts: parts.map((part) => ({
      key: part.key,
      amount_usd: usd(part.amount_usd),
      share: share(part.share),
    })),
    unknown_share: share(unknown),
    hhi: hhi === null ? null : share(Math.min(1, hhi)),
    hhi_min: isKnown ? share(Math.min(1, hhi_min)) : null,
    effective_number: hhi === null ? null : roundTo(Math.max(1, 1 / hhi), 4),
  };
}
