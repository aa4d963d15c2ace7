// Copies of tables outside their home, and the versions from which each was made. A copy is current while neither it nor the table at home
// has changed since.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelTable } from '../model.ts';
import type { Parameters } from '../parameters.ts';
import { literal } from '../sql-text.ts';
import type { StateTable, StateTables } from '../warehouse.ts';
import type { Part, Home } from './part.ts';
import type { TablePlacement } from './plan.ts';

const COPIED: StateTable = {
  name: 'meta.copied',
  columns: [
    { name: 'model', type: 'VARCHAR' },
    { name: 'place', type: 'VARCHAR' },
    { name: 'home_version', type: 'VARCHAR' },
    { name: 'own_version', type: 'VARCHAR' },
  ],
};

/** Versions of a table at home and of its copy when the copy was made. */
interface CopyVersions {
  readonly home: string;
  readonly own: string;
}

export interface CopyTools {
  readonly part: (target: Home) => Part;
  readonly state: StateTables;
  readonly tempDir: string;
  readonly makeId: () => string;
}

export class Copies {
  readonly #tools: CopyTools;
  readonly #made = new Map<string, CopyVersions>();

  constructor(tools: CopyTools) {
    this.#tools = tools;
  }

  async load(): Promise<void> {
    const { state } = this.#tools;
    await state.prepare(COPIED);
    this.#made.clear();
    for (const row of await state.rows('select model, place, home_version, own_version from meta.copied'))
      this.#made.set(keyOf(String(row['model']), String(row['place'])), {
        home: String(row['home_version']),
        own: String(row['own_version']),
      });
  }

  async isCurrent({ model, home }: TablePlacement, target: Home): Promise<boolean> {
    const made = this.#made.get(keyOf(model.name, target));
    if (made === undefined) return false;
    const { part } = this.#tools;
    return (
      made.home === (await part(home).versions.of(model.name)) &&
      made.own === (await part(target).versions.of(model.name))
    );
  }

  /**
   * Updates a copy after a change at home. `where`: a condition that covers every row the change may have touched. `wasCurrent`: whether
   * the copy was current before the change.
   */
  async bring(
    placement: TablePlacement,
    target: Home,
    { where, wasCurrent }: { readonly where: string; readonly wasCurrent: boolean },
  ): Promise<void> {
    if (await this.isCurrent(placement, target)) return;
    const { part, tempDir, makeId } = this.#tools;
    const { model, home } = placement;
    const file = join(tempDir, `copy-${makeId()}.parquet`);
    const rows = { where: wasCurrent ? where : 'true', file };
    const version = await part(home).versions.of(model.name);
    try {
      await part(home).exportRows(model, rows);
      await part(target).importRows(model, rows);
    } finally {
      await rm(file, { force: true });
    }
    await this.#record(model, target, { home: version, own: await part(target).versions.of(model.name) });
  }

  async #record({ name: model }: ModelTable, target: Home, { home, own }: CopyVersions): Promise<void> {
    await this.#tools.state.replace(
      COPIED,
      [{ model, place: target, home_version: home, own_version: own }],
      `model = ${literal(model)} and place = ${literal(target)}`,
    );
    this.#made.set(keyOf(model, target), { home, own });
  }
}

const keyOf = (model: string, home: string): string => `${home} ${model}`;

/** Condition for the rows that computing the window may change. */
export const changedRows = ({ kind, time }: ModelTable, { start, end }: Parameters): string =>
  kind === 'window' ? `${time} >= ${start} and ${time} < ${end}` : 'true';
