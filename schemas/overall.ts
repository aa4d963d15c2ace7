// The overall score of a protocol as published (2.4, 4.7), and the receipt of each record: its inputs, weights and rules
// (decisions 1, 2).
import { Nullable, type Static, Strict, Type } from './define.ts';
import { dailySeries, number, text } from './series.ts';

export const OVERALL_COMPONENTS = [
  'liquidity',
  'security',
  'decentralization',
  'tokenomics',
  'development',
  'social',
] as const;

const Score = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const Sha256 = (description: string) => Type.String({ description, pattern: '^[0-9a-f]{64}$' });
const timestamp = Type.String({
  description: '00:00 UTC of the day',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T00:00:00Z$',
  examples: ['2026-01-31T00:00:00Z'],
});
const reason = Nullable(Type.String({ description: 'Explanation of the gap; null without a gap' }));

export const OverallScoreSchema = Strict({
  score: Score('Weighted mean of the known components, 0 to 1, four decimals'),
  timestamp,
});
export type OverallScore = Static<typeof OverallScoreSchema>;

export const OverallComponentSchema = Strict({
  component: Type.Enum([...OVERALL_COMPONENTS]),
  score: Nullable(Score('Score of the component, six decimals; the overall score is computed from it')),
  gap: Nullable(
    Type.Enum(['not_mapped', 'not_deployed', 'not_reviewed', 'no_data'], {
      description:
        'Why there is no score. not_mapped: the registry has no name of the protocol in the input; not_deployed: no date of deployment is known; not_reviewed: the last review is missing or too old; no_data: no observation counts for the day',
    }),
  ),
  reason,
  weight: Score('Weight of the component'),
  weight_used: Nullable(
    Score(
      'Weight among the known components, six decimals; null if the component or the record has no score',
    ),
  ),
  formula: Type.String({ description: 'How the score is computed from the inputs' }),
  inputs: Nullable(
    Type.String({
      description: 'The input figures: `name=value;…`, sorted by name',
      examples: ['messages=12;sentiment=0.250000'],
    }),
  ),
  oldest_input_day: Nullable(
    Type.String({
      description: 'Day of the oldest input; null if all inputs are of the day itself or valid until changed',
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
    }),
  ),
  input_hash: Nullable(Sha256('sha256 of the UTF-8 bytes of `inputs`, hex')),
});

export const OverallReceiptSchema = Strict({
  timestamp,
  score: Nullable(Score('Score of the day’s record, four decimals; null without a record')),
  gap: Nullable(
    Type.Enum(['too_few_components', 'too_little_weight'], { description: 'Why the day has no record' }),
  ),
  reason,
  known_components: Type.Integer({ minimum: 0, maximum: 6, description: 'Components with a score' }),
  known_weight: Score('Total weight of these components'),
  formula: Type.String({ description: 'How the score is computed from the components' }),
  components: Type.Array(OverallComponentSchema),
  quality_gate: Strict(
    {
      verdict: Type.Enum(['pass', 'warn', 'fail']),
      warnings: Type.Array(Type.Enum([...OVERALL_COMPONENTS])),
    },
    'Warns of components that are missing or use a figure at least two days old; fails without a record',
  ),
  input_hash: Sha256(
    'sha256 of `component=hash;…`, sorted by component, with its input_hash or, without one, its gap',
  ),
  methodology_version: Type.String(),
  policy_version: Type.String(),
});
export type OverallReceipt = Static<typeof OverallReceiptSchema>;

export const OVERALL_SERIES = dailySeries('overall-receipts', {
  score: number('0 to 1', 'Overall score; null on a day without one'),
  liquidity: number('0 to 1', 'Liquidity'),
  security: number('0 to 1', 'Security'),
  decentralization: number('0 to 1', 'Decentralization'),
  tokenomics: number('0 to 1', 'Tokenomics'),
  development: number('0 to 1', 'Development'),
  social: number('0 to 1', 'Social'),
  gap: text('Why there is no score'),
});
