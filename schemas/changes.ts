// What changed between two published versions: conditions that opened, closed, became worse or better.
import { ConditionSchema } from './conditions.ts';
import { IsoTime, Nullable, type Static, Strict, Type, Ulid } from './define.ts';

export const CONDITION_CHANGES = {
  opened: 'it began',
  reopened: 'it ended and began again',
  worsened: 'its severity rose, or with the same severity its worst value became worse',
  unknown: 'it is in one version only, and the other cannot say whether it was there',
  closed: 'it ended',
  eased: 'its severity fell',
} as const;
export type ConditionChangeKind = keyof typeof CONDITION_CHANGES;
const KINDS = Object.keys(CONDITION_CHANGES) as ConditionChangeKind[];

export const UNCOMPARED = {
  not_published: 'the version does not have the dataset',
  held_back: 'the dataset, or this subject of it, is held back',
  not_read: 'the sources of the dataset have not been read',
  no_row: 'the dataset has no row of the subject',
  not_live: 'the sources of the subject do not cover that time',
} as const;
export type UncomparedReason = keyof typeof UNCOMPARED;
const listed = (meanings: Readonly<Record<string, string>>) =>
  Object.entries(meanings)
    .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
    .join('; ');

export const ConditionChangeSchema = Strict({
  id: Type.String({ description: 'Id of the condition' }),
  change: Type.Enum(KINDS, { description: listed(CONDITION_CHANGES) }),
  reason: Nullable(
    Type.Enum(Object.keys(UNCOMPARED) as UncomparedReason[], {
      description: `Of \`unknown\`: why the other version cannot say. ${listed(UNCOMPARED)}`,
    }),
  ),
  dataset: Nullable(Type.String({ description: 'Of `unknown`: the dataset that cannot say' })),
  before: Nullable(ConditionSchema),
  after: Nullable(ConditionSchema),
});
export type ConditionChange = Static<typeof ConditionChangeSchema>;

export const ComparedVersionSchema = Strict({
  version: Ulid('Version'),
  as_of: IsoTime('Logical time of its datasets'),
});

const Count = Type.Integer({ minimum: 0 });
export const ChangeCountsSchema = Strict({
  opened: Count,
  reopened: Count,
  worsened: Count,
  unknown: Count,
  closed: Count,
  eased: Count,
  unchanged: Count,
});

export const UncomparedDatasetSchema = Strict({
  moment: Type.Enum(['from', 'to']),
  dataset: Type.String(),
  reason: Type.Enum(['not_published', 'held_back', 'not_read'], { description: listed(UNCOMPARED) }),
  message: Type.String({ description: 'What is wrong, in a sentence' }),
});
export type UncomparedDataset = Static<typeof UncomparedDatasetSchema>;
