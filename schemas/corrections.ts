// A correction: a published record of a day that changed after the day had left the window of seven days.
import { IsoTime, Nullable, type Static, Strict, Type, Ulid } from './define.ts';

const Row = (description: string) =>
  Nullable(
    Type.Record(Type.String(), Type.Unknown(), { description: `${description}; null if there was none` }),
  );

export const CorrectionSchema = Strict({
  id: Ulid('Unique; later corrections have greater ids'),
  dataset: Type.String({ description: 'Dataset that published the day' }),
  key: Type.String({ description: 'Key of the document that held the row' }),
  part: Type.String({ description: 'Which of several rows of the day; empty if there is only one' }),
  day: Type.String({ description: 'UTC day that the row is about', format: 'date' }),
  fields: Type.Array(Type.String(), { description: 'Fields that differ' }),
  old_value: Row('Row as first published'),
  new_value: Row('Row as published now'),
  reason: Type.String({ description: 'Why it changed' }),
  replaced_version: Type.String({ description: 'Last version with the old value' }),
  as_of: IsoTime('Logical time of the first version with the new value; `?as_of=` selects that version'),
});
export type Correction = Static<typeof CorrectionSchema>;
