// Runs detectors over a caller's rows in an in-memory engine, with the same queries as a run. Every question starts with empty tables and
// leaves no rows behind.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_S } from '../../platform/base/time.ts';
import { WHAT_IF_TYPES, type WhatIfEvent, type WhatIfQuestion } from '../../schemas/what-if.ts';
import { narrowed } from '../commands/detect.ts';
import type { Config } from '../config.ts';
import { openDuckDb } from '../engine/duckdb/duckdb.ts';
import type { DuckDb } from '../engine/duckdb/session.ts';
import type { DuckDbWarehouse } from '../engine/duckdb/warehouse.ts';
import type { ColumnSpec, Row } from '../engine/rows.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { detectInWindow } from '../pipeline/events/detection.ts';
import { type Candidate, detectionWindow } from '../pipeline/events/emit.ts';
import { computeModels } from '../pipeline/run/compute.ts';
import { domains as everything } from '../registry.ts';
import { type Effects, loadWarehouse } from './open-context.ts';

const MEMORY_LIMIT = '256MB';

export type WhatIfEngineEffects = Pick<Effects, 'nowMs' | 'reporter' | 'domains'> & {
  /** Distinguishes the spill folders of concurrent processes. */
  readonly processId: string;
};

type WhatIfEngineContext = Pick<PipelineContext, 'models' | 'domains' | 'policy' | 'nowMs' | 'reporter'> & {
  readonly warehouse: DuckDbWarehouse;
};

export class WhatIfEngine {
  readonly #db: DuckDb;
  readonly #everything: WhatIfEngineContext;
  /** Contexts by the event types of a question. */
  readonly #narrowed = new Map<string, WhatIfEngineContext>();
  readonly #close: () => Promise<void>;

  constructor(db: DuckDb, context: WhatIfEngineContext, close: () => Promise<void>) {
    this.#db = db;
    this.#everything = context;
    this.#close = close;
  }

  /** Returns events in the order of the log. Takes one question at a time. @throws Error for rows of an unknown table or column */
  async answer({ start, from, to, types, rows }: WhatIfQuestion): Promise<readonly WhatIfEvent[]> {
    const undo = new Undo();
    const context = this.#contextOf(types);
    if (start % DAY_S !== 0) throw new Error('Start must be midnight UTC: models continue day by day.');
    try {
      await context.warehouse.transaction(async () => {
        for (const [table, given] of Object.entries(rows)) await this.#append(context, table, given);
        await context.warehouse.versions.bump(Object.keys(rows));
        await computeModels(context, { start, end: to + 1, now: to });
        const { warehouse: results } = context;
        undo.found = await detectInWindow({ ...context, results }, detectionWindow({ from, to }, to));
        throw undo;
      });
    } catch (error) {
      if (error !== undo) throw error;
    }
    return undo.found.map(eventOf);
  }

  close(): Promise<void> {
    return this.#close();
  }

  #contextOf(types: readonly string[]): WhatIfEngineContext {
    const key = [...types].sort().join(' ');
    const known = this.#narrowed.get(key);
    if (known !== undefined) return known;
    const made = narrowed(this.#everything, types);
    this.#narrowed.set(key, made);
    return made;
  }

  async #append(context: WhatIfEngineContext, table: string, rows: readonly Row[]): Promise<void> {
    const model = context.models.models.find(({ name }) => name === table);
    const described = model === undefined ? null : await context.warehouse.describe(table);
    if (described === null) throw new Error(`No detector here reads ${table}.`);
    const types = new Map(described.map(({ name, type }) => [name, type]));
    const names = new Set(rows.flatMap((row) => Object.keys(row)));
    const columns = [...names].map((name) => {
      const type = types.get(name);
      if (type === undefined) throw new Error(`${table} has no column ${name}.`);
      return { name, type: type as ColumnSpec['type'], values: rows.map((row) => cellOf(row[name])) };
    });
    if (rows.length > 0) await this.#db.append(table, columns);
  }
}

/** Thrown to roll the transaction back; carries the result out of it. */
class Undo extends Error {
  found: readonly Candidate[] = [];
}

const cellOf = (value: Row[string] | undefined): string | number | boolean | null =>
  typeof value === 'object' || value === undefined ? null : value;

const eventOf = ({ envelope }: Candidate): WhatIfEvent => {
  const { type, severity, subject_id, ts, data } = envelope;
  return {
    type: String(type),
    severity: typeof severity === 'string' ? severity : null,
    subject_id: String(subject_id),
    ts: String(ts),
    data: data as WhatIfEvent['data'],
  };
};

export async function openWhatIfEngine(
  { settings, paths, policy }: Pick<Config, 'settings' | 'paths' | 'policy'>,
  { nowMs, reporter, processId, domains = everything }: WhatIfEngineEffects,
): Promise<WhatIfEngine> {
  mkdirSync(settings.data_dir, { recursive: true });
  const tempDir = join(paths.temporary, `what-if-${processId}`);
  const db = await openDuckDb({ file: ':memory:', memoryLimit: MEMORY_LIMIT, threads: 1, tempDir });
  const close = async () => {
    await db.close();
    rmSync(tempDir, { recursive: true, force: true });
  };
  try {
    const { warehouse, models } = await loadWarehouse(db, { policy, domains });
    const context = narrowed({ warehouse, models, domains, policy, nowMs, reporter }, WHAT_IF_TYPES);
    return new WhatIfEngine(db, context, close);
  } catch (error) {
    await close();
    throw error;
  }
}
