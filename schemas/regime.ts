// The regime of the market by the hour, as published, with the signals behind it; an unknown signal is listed as missing.
import { IsoTime, Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { detected_at, type EventType, eventType, Growing, MADE_UP_AT } from './event.ts';
import { FACTS_ACCESS } from './plans.ts';
import { number, type SeriesDefinition, steady, text } from './series.ts';

/** From calm to stressed. */
export const REGIMES = ['risk_on', 'neutral', 'risk_off', 'crisis'] as const;

const Regime = (description: string) => Nullable(Type.Enum([...REGIMES], { description }));

export const RegimeHourSchema = Strict({
  hour: UnixSeconds('End of the hour'),
  regime: Regime('Regime by the signals of the hour; null if none is known'),
  confidence: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Weight of the agreeing signals as a share of the weight of all signals',
  }),
  is_sure: Type.Boolean({ description: 'Whether the confidence is at least the minimum of the policy' }),
  current_regime: Regime('Confirmed regime of the market; null before the first'),
  signals: Type.Array(Type.String(), {
    description: '`<signal>:<vote>`; the vote of an unknown signal is `missing`',
  }),
  signals_known: Type.Integer({ minimum: 0, description: 'Number of known signals' }),
});
export type RegimeHour = Static<typeof RegimeHourSchema>;

export const RegimeData = Growing({
  regime_id: Type.String(),
  regime_type: Type.String(),
  previous_regime_type: Type.Optional(Type.String()),
  confidence: Type.Number({ description: 'Fraction' }),
  started_at: IsoTime('Start of the regime'),
  signals: Type.Array(Type.String()),
  detected_at,
});

export const EVENTS: readonly EventType[] = [
  eventType('regime.shift', 'warn', {
    summary: 'The market moved to a new regime',
    subject: 'vault:global',
    data: RegimeData,
    sample: [
      'vault:global',
      {
        regime_id: 'sample-regime',
        regime_type: 'risk_off',
        confidence: 0.8,
        started_at: MADE_UP_AT,
        signals: ['volatility', 'utilization'],
        detected_at: MADE_UP_AT,
      },
    ],
  }),
];

export const REGIME_SERIES: SeriesDefinition = {
  dataset: 'market-regime',
  grain: 'observed',
  columns: {
    regime: text('Regime as evaluated at that hour'),
    current_regime: text('Regime in force'),
    confidence: number('fraction', 'Share of the weight of all signals that agrees'),
    signals_known: steady(null, 'Number of known signals'),
  },
};

/** Who may read the datasets that no endpoint serves. */
export const ACCESS = {
  'market-regime': FACTS_ACCESS,
};
