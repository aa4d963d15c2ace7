// Limits, bands and names that requests and calculations share, apart from the schemas that use them, so that calculations load no package.

/** Limits and defaults of a portfolio analysis (4.23, decision 56). */
export const PORTFOLIO = {
  max_positions: 100,
  max_amount_usd: 1e12,
  horizon_days: { default: 30, max: 365 },
  confidence: { default: 0.95, min: 0.5, max: 0.999 },
  paths: { default: 5_000, min: 100, max: 20_000 },
  /** Maximum of paths times days of the horizon in one request. */
  max_path_days: 600_000,
  max_symbols_compared: 20,
  max_contagion_paths: 10,
  max_failures: 10,
  max_path_nodes: 8,
  exit: { paths: 1_000, within_hours: [1, 24, 168], max_slippage_bps: 100 },
} as const;

/** Bands of risk scores, from the safest to the riskiest. */
export const RISK_BANDS = ['low', 'medium', 'high', 'critical'] as const;
export type RiskBand = (typeof RISK_BANDS)[number];

/** Subject of a shock that applies to everything of its kind. */
export const EVERYTHING = '*';
