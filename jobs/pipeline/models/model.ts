// Models, event queries and audits as read from their files.

import type { Domain } from '../../define/domain.ts';
import type { ModelTable } from '../../engine/model.ts';
import type { Dependencies } from '../../incremental/dependencies.ts';

export type Layer = 'obs' | 'derived' | 'out' | 'event';

/** One query file. */
export interface Query extends Dependencies {
  /** `obs.feed_round`, `event.oracle.stale`, `obs.feed_round.audit` */
  readonly name: string;
  readonly domain: string;
  /** Path as shown in messages: `jobs/families/oracles/obs.feed_round.sql` */
  readonly file: string;
  readonly about: string;
  readonly sql: string;
}

export interface Model extends Query, ModelTable {
  readonly layer: Exclude<Layer, 'event'>;
}

export interface EventQuery extends Query {
  /** `oracle.stale` */
  readonly type: string;
}

export interface Audit extends Query {
  /** The audited table: `obs.feed_round` */
  readonly table: string;
  /** `fail` stops the publication; `warn` lowers the confidence by the `weight` (0 to 1) of each row and gives its `reason`. */
  readonly verdict: 'fail' | 'warn';
  /** Further `out` tables to which the audit applies although they do not read the audited table. */
  readonly reaches: readonly string[];
}

export interface ModelSet {
  /** Ordered so that each model comes after the models that it reads. */
  readonly models: readonly Model[];
  readonly events: readonly EventQuery[];
  readonly audits: readonly Audit[];
}

export type ModelFolder = Pick<Domain, 'id' | 'folder' | 'raw' | 'policy' | 'policyTables'>;
