// Bands of risk scores. Without the schemas that use them, so that calculations load no package.

/** From the safest to the riskiest. */
export const RISK_BANDS = ['low', 'medium', 'high', 'critical'] as const;
export type RiskBand = (typeof RISK_BANDS)[number];
