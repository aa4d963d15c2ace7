// What can be read from the text of a query alone. DuckDB parses for every engine.
import type { RowNeeds } from './row-needs.ts';
import type { TimeUse } from './time-use.ts';

/** Queries may contain parameters. Each query is parsed once per process, however often it is read. */
export interface SqlSyntax {
  /** Qualified names of the tables that a query reads, without common table expressions: `obs.feed_round`. */
  tablesRead(sql: string): Promise<readonly string[]>;
  /** Names of a query's columns, from its text alone: its tables need not exist. Throws where the text says `*`. */
  columnsNamed(sql: string): Promise<readonly string[]>;
  /** How a query depends on its parameters. `time`: the column by which rows after the window are left out, or empty. */
  timeUse(sql: string, time: string): Promise<TimeUse>;
  /** Which tables must have rows for a query to return any. */
  rowNeeds(sql: string): Promise<RowNeeds>;
}
