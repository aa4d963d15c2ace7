// A correction: what was published of a day, and changed after the day had left the window of seven days.
import { IsoTime, Nullable, type Static, Strict, Type, Ulid } from './define.ts';

const Row = (description: string) =>
  Nullable(
    Type.Record(Type.String(), Type.Unknown(), { description: `${description}; null when there was none` }),
  );

export const CorrectionSchema = Strict({
  id: Ulid('Rises from one correction to the next'),
  dataset: Type.String({ description: 'Dataset that published the day' }),
  key: Type.String({ description: 'Key of the document that held the row' }),
  part: Type.String({ description: 'Which of several rows of the day; empty where there is one' }),
  day: Type.String({ description: 'UTC day that the row speaks of', format: 'date' }),
  fields: Type.Array(Type.String(), { description: 'Fields that differ' }),
  old_value: Row('The row as it was published'),
  new_value: Row('The row as it is now'),
  reason: Type.String({ description: 'Why it changed' }),
  replaced_version: Type.String({ description: 'Last version that rests on the old value' }),
  as_of: IsoTime(
    'Logical time of the first version that rests on the new value: `?as_of=` names that version',
  ),
});
export type Correction = Static<typeof CorrectionSchema>;
