// The static mirror of a published version: what is held back is in none of its files.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { exportMirror } from '../../../../server/export.ts';
import { nodeDisk } from '../../../../platform/storage/disk.ts';
import { inFolder } from '../../../support/in-folder.ts';

export interface HeldSubject {
  readonly dataset: string;
  /** Null: the dataset as a whole. */
  readonly subject: string | null;
}

const quiet = () => undefined;

/** `dir`: a data folder. `columnsOf`: the columns of a dataset's rows that name their subject. */
export async function checkMirror(
  dir: string,
  held: readonly HeldSubject[],
  {
    columnsOf,
    words,
  }: { readonly columnsOf: (dataset: string) => readonly string[]; readonly words: string },
): Promise<void> {
  const out = join(dir, 'mirror');
  await exportMirror({
    disk: nodeDisk,
    snapshots: inFolder(join(dir, 'snapshots')),
    out,
    plan: 'custom',
    serviceVersion: 'test',
    log: { info: quiet, warn: quiet, error: quiet },
  });
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(out, name)).isFile(),
  );
  for (const { dataset, subject } of held) {
    if (subject === null) continue;
    const values = subject.split(' ');
    const columns = columnsOf(dataset);
    for (const name of files.filter((one) => one.includes(`datasets/${dataset}`) && /json$/.test(one)))
      for (const row of objectsIn(readFileSync(join(out, name), 'utf8')))
        if (columns.length === values.length)
          expect(
            columns.map((column) => row[column]),
            `${words}: ${name}`,
          ).not.toEqual(values);
  }
}

type Members = { readonly [name: string]: unknown };

/** Every object in a text of JSON or lines of JSON. */
function* objectsIn(text: string): Generator<Members> {
  const open: unknown[] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...next.filter((one) => one !== null));
    else if (typeof next === 'object' && next !== null) {
      yield next as Members;
      open.push(...Object.values(next).filter((one) => one !== null));
    }
  }
}
