// By how much the main figures of a list differ from a day and a week earlier (decision 88).
import type { TObject } from 'typebox';
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { LendingMarketSchema } from './lending.ts';
import { NetworkSchema } from './networks.ts';
import { PegSchema } from './oracle-series.ts';
import { OverallReceiptSchema } from './overall.ts';
import { YieldOpportunitySchema } from './yields.ts';

/** Why a change is null. */
export const UNKNOWN_CHANGES = {
  value_unknown: 'the figure is not known now',
  not_newer: 'nothing has been observed since',
  held_back: 'the history is held back',
  no_history: 'the version publishes no history of that time',
  no_observation: 'nothing was observed on that day or, with hourly histories, the day before',
  not_observed: 'the history has a gap there',
  unknown_then: 'the figure was not known then',
} as const;
export type UnknownChange = keyof typeof UNKNOWN_CHANGES;

const reasons = Object.entries(UNKNOWN_CHANGES).map(([name, meaning]) => `\`${name}\`: ${meaning}`);

export const FigureChangeSchema = Strict({
  at: Nullable(
    UnixSeconds(
      'With what it is compared: the last value before this full hour or, with daily histories, the record of the day that begins then; null if the time of the figure is not known',
    ),
  ),
  before: Nullable(Type.Number({ description: 'The figure at that time' })),
  change: Nullable(Type.Number({ description: 'The figure of the row less `before`' })),
  reason: Nullable(
    Type.Enum(Object.keys(UNKNOWN_CHANGES) as UnknownChange[], {
      description: `Why there is no change: ${reasons.join('; ')}. Null with a change`,
    }),
  ),
});
export type FigureChange = Static<typeof FigureChangeSchema>;

export const FigureChangesSchema = Strict({
  change_24h: FigureChangeSchema,
  change_7d: FigureChangeSchema,
});
export type FigureChanges = Static<typeof FigureChangesSchema>;

/** Of a row, by the name of the figure. */
export type RowChanges = Readonly<Record<string, FigureChanges>>;

/** The query parameter that adds them to a list. */
export const includeParameter = Type.Optional(
  Type.Enum(['changes'], {
    description:
      '`changes` adds to each row by how much its main figures differ from 24 hours and from 7 days earlier',
  }),
);

/** A row of a list, with its changes if they are requested. */
const compared = <T extends TObject>({ properties }: T) =>
  Strict({
    ...properties,
    changes: Type.Optional(
      Type.Record(Type.String(), FigureChangesSchema, {
        description: 'With `include=changes`: by the name of the figure',
      }),
    ),
  });

export const ComparedPegSchema = compared(PegSchema);
export const ComparedLendingMarketSchema = compared(LendingMarketSchema);
export const ComparedYieldOpportunitySchema = compared(YieldOpportunitySchema);
export const ComparedNetworkSchema = compared(NetworkSchema);
export const ComparedOverallReceiptSchema = compared(
  Strict({ protocol: Type.String({ description: 'Protocol' }), ...OverallReceiptSchema.properties }),
);
