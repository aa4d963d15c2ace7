// What can be read from the text of a query alone. DuckDB parses for every engine.
export interface SqlSyntax {
  /** Qualified names of the tables that a query reads, common table expressions left out: `obs.feed_round`. */
  tablesRead(sql: string): Promise<readonly string[]>;
  /** Names of a query's columns, from its text alone: its tables need not exist. Throws where the text says `*`. */
  columnsNamed(sql: string): Promise<readonly string[]>;
}
