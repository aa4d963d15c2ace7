// Which landed files are in the `append` models. Only one process writes the warehouse, so the list is read once and kept up to date in
// memory: a run that finds nothing new needs no query.
import { ALL_ON, type SwitchedOff } from '../../../platform/base/switches.ts';
import { literal } from '../sql-text.ts';
import type { AbsorbedFile, AbsorbedFiles, CompactedFile } from '../warehouse.ts';
import type { DuckDb } from './session.ts';

export interface NewFile extends Omit<AbsorbedFile, 'model'> {
  /** Earliest instant among its rows, Unix seconds. */
  readonly firstTime: number | null;
}

interface Entry extends NewFile {
  readonly isSettled: boolean;
}

type Entries = Map<AbsorbedFile['model'], Map<AbsorbedFile['file'], Entry>>;

export class AbsorbedList implements AbsorbedFiles {
  readonly #db: DuckDb;
  readonly #off: SwitchedOff;
  /** Undefined until it is read. */
  #entries: Entries | undefined;

  constructor(db: DuckDb, off: SwitchedOff = ALL_ON) {
    this.#db = db;
    this.#off = off;
  }

  async list(models: readonly string[]): Promise<readonly AbsorbedFile[]> {
    const entries = await this.#read();
    const files = models.flatMap((model) =>
      [...(entries.get(model)?.values() ?? [])].map(({ file, sha256 }) => ({ model, file, sha256 })),
    );
    return files.sort((a, b) => order(a.file, b.file) || order(a.model, b.model));
  }

  async has(model: string, file: string): Promise<boolean> {
    return (await this.#read()).get(model)?.has(file) === true;
  }

  /** Must be called in the transaction that adds the rows of the files. */
  async add(model: string, files: readonly NewFile[]): Promise<void> {
    const values = files.map(
      ({ file, sha256, firstTime }) => `(${[model, file, firstTime, false, sha256].map(literal).join(', ')})`,
    );
    await this.#db.execute(`insert into meta.absorbed values ${values.join(', ')}`);
    const own = filesOf(await this.#read(), model);
    for (const file of files) own.set(file.file, { ...file, isSettled: false });
  }

  async adopt(model: string, { file, sha256, replaces }: CompactedFile): Promise<void> {
    const own = filesOf(await this.#read(), model);
    const parts = replaces.flatMap((name) => own.get(name) ?? []);
    if (parts.length === 0) return;
    const firstTime = smallest(parts);
    const isSettled = parts.every((part) => part.isSettled);
    const names = parts.map((part) => literal(part.file)).join(', ');
    const row = [model, file, firstTime, isSettled, sha256].map(literal).join(', ');
    await this.#db.atomic(async () => {
      await this.#db.execute(
        `delete from meta.absorbed where table_name = ${literal(model)} and file in (${names});
         insert into meta.absorbed values (${row})`,
      );
    });
    for (const part of parts) own.delete(part.file);
    own.set(file, { file, sha256, firstTime, isSettled });
  }

  /** Must be called in the transaction that removes the rows of the model. */
  async clear(model: string): Promise<void> {
    const entries = await this.#read();
    await this.#db.execute(`delete from meta.absorbed where table_name = ${literal(model)}`);
    entries.delete(model);
  }

  async firstTime(of: 'all' | 'unsettled'): Promise<number | null> {
    const all = await this.#all();
    return smallest(of === 'all' ? all : all.filter(({ isSettled }) => !isSettled));
  }

  async lateModels(before: number): Promise<readonly string[]> {
    const isLate = ({ isSettled, firstTime }: Entry) =>
      !isSettled && firstTime !== null && firstTime < before;
    return [...(await this.#read())]
      .filter(([, files]) => [...files.values()].some(isLate))
      .map(([model]) => model)
      .sort();
  }

  async settle(): Promise<void> {
    const entries = await this.#read();
    if ((await this.#all()).every(({ isSettled }) => isSettled)) return;
    await this.#db.execute('update meta.absorbed set is_settled = true where not is_settled');
    for (const files of entries.values())
      for (const [file, entry] of files) if (!entry.isSettled) files.set(file, { ...entry, isSettled: true });
  }

  /** Discards the list in memory: after a failed transaction, or before models are recreated, it may not match the warehouse. */
  forget(): void {
    this.#entries = undefined;
  }

  async #all(): Promise<readonly Entry[]> {
    return [...(await this.#read()).values()].flatMap((files) => [...files.values()]);
  }

  async #read(): Promise<Entries> {
    if (this.#entries !== undefined && !this.#off.has('absorbed-files')) return this.#entries;
    const entries: Entries = new Map();
    for (const row of await this.#db.rows(
      'select table_name, file, first_time, is_settled, sha256 from meta.absorbed',
    )) {
      const { file, sha256, first_time } = row;
      filesOf(entries, String(row['table_name'])).set(String(file), {
        file: String(file),
        sha256: sha256 === null ? null : String(sha256),
        firstTime: first_time === null ? null : Number(first_time),
        isSettled: row['is_settled'] === true,
      });
    }
    this.#entries = entries;
    return entries;
  }
}

function filesOf(entries: Entries, model: string): Map<string, Entry> {
  const files = entries.get(model) ?? new Map<string, Entry>();
  entries.set(model, files);
  return files;
}

/** The earliest time; null when there is none. */
function smallest(entries: readonly NewFile[]): number | null {
  let first: number | null = null;
  for (const { firstTime } of entries)
    if (firstTime !== null && (first === null || firstTime < first)) first = firstTime;
  return first;
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
