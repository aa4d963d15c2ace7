// What the holds of a run mean for one dataset: the rows that are held back, the held subjects that its figures rest on without being about
// them, and whether the dataset is held back as a whole.

import { columnsOf } from '../../define/subject.ts';
import type { Row } from '../../engine/rows.ts';
import { lineage, type TracedDataset } from '../models/lineage.ts';
import type { ModelSet } from '../models/model.ts';
import { type Hold, isIdentified, isShown, type Reach } from './holds.ts';
import { nameOf, RowsBySubject, type Subject, SubjectIds, subjectKey, valuesIn } from './subjects.ts';

export interface HoldProblem {
  readonly hold: Hold;
  /**
   * `subject`: rows of the dataset are held back. `input`: its figures rest on the subject, but no row is about it. `whole`: it is not
   * known which rows are wrong.
   */
  readonly kind: 'subject' | 'input' | 'whole';
  /** The subject as rows of the dataset show it; null unless rows are held back. */
  readonly subject: string | null;
  readonly reason: string;
}

export interface DatasetHolds {
  readonly problems: readonly HoldProblem[];
  readonly isHeld: (row: Row) => boolean;
  /** Whether a document with this key is about a subject that is held back. */
  readonly isHeldKey: (key: string) => boolean;
}

/** The holds that apply to what is built from the tables. */
export const reachesOn = (tables: ReadonlySet<string>, reaches: readonly Reach[]): readonly Reach[] =>
  reaches.filter(({ hold }) => hold.tables.some((table) => tables.has(table)));

export function holdsOn(
  dataset: TracedDataset,
  reaches: readonly Reach[],
  models: Pick<ModelSet, 'models'>,
): DatasetHolds {
  const own = reachesOn(dataset.lineage, reaches);
  const { subject } = dataset;
  if (!('idColumn' in subject)) return holdsByColumns(dataset, own);
  return holdsById(subject, own, reachesOn(lineage(models, subject.everything.table), own));
}

function holdsByColumns({ subject, key, separator }: TracedDataset, reaches: readonly Reach[]): DatasetHolds {
  const columns = columnsOf(subject);
  const sought: ReadonlyMap<string, string>[] = [];
  const problems = reaches.flatMap((reach): readonly HoldProblem[] => {
    const { hold, subjects } = reach;
    if (hold.subject === null) return [wholeProblem(hold)];
    if (!isShown(columns, reach)) return [inputProblem(hold)];
    return subjects.flatMap((one): HoldProblem[] => {
      const values = valuesIn(columns, one);
      if (values === null) return [];
      sought.push(values);
      return [subjectProblem(hold, one, nameOf(values))];
    });
  });
  const rows = new RowsBySubject(sought);
  return {
    problems: unique(problems),
    isHeld: (row) => rows.has(row),
    isHeldKey: (text) => rows.has(keyColumns({ key, separator }, text)),
  };
}

/** The last part of a key may contain the separator. */
function keyColumns({ key, separator }: Pick<TracedDataset, 'key' | 'separator'>, text: string): Row {
  const parts = text.split(separator);
  const values = [...parts.slice(0, key.length - 1), parts.slice(key.length - 1).join(separator)];
  return Object.fromEntries(key.map((column, index) => [column, values[index] ?? null]));
}

type ById = Extract<TracedDataset['subject'], { readonly idColumn: string }>;

/** `general`: the holds that rows about everything rest on. */
function holdsById(
  { idColumn, ids, everything }: ById,
  reaches: readonly Reach[],
  general: readonly Reach[],
): DatasetHolds {
  const known = reaches.filter((reach) => reach.hold.subject !== null && isIdentified(ids, reach));
  const sought = new SubjectIds(
    ids,
    known.flatMap(({ subjects }) => subjects),
  );
  const problems = reaches.map((reach): HoldProblem => {
    const { hold } = reach;
    if (hold.subject === null) return wholeProblem(hold);
    if (known.includes(reach) || general.includes(reach))
      return subjectProblem(hold, hold.subject, nameOf(hold.subject));
    return inputProblem(hold);
  });
  const isHeldId = (id: string) => sought.has(id) || (general.length > 0 && id === everything.id);
  return {
    problems: unique(problems),
    isHeld: (row) => isHeldId(String(row[idColumn])),
    isHeldKey: () => false,
  };
}

const wholeProblem = (hold: Hold): HoldProblem => ({
  hold,
  kind: 'whole',
  subject: null,
  reason: hold.reason,
});

const inputProblem = (hold: Hold): HoldProblem => ({
  hold,
  kind: 'input',
  subject: null,
  reason: `among its inputs: ${hold.reason}`,
});

function subjectProblem(hold: Hold, subject: Subject, name: string): HoldProblem {
  const isItself = hold.subject !== null && subjectKey(hold.subject) === subjectKey(subject);
  const reason = isItself ? hold.reason : `${name} rests on what is held back: ${hold.reason}`;
  return { hold, kind: 'subject', subject: name, reason };
}

function unique(problems: readonly HoldProblem[]): readonly HoldProblem[] {
  const byReason = new Map(problems.map((one) => [JSON.stringify([one.kind, one.subject, one.reason]), one]));
  return [...byReason.values()];
}
