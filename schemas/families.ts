// The families of this folder: their wire shapes, their event types under the name EVENTS, and under the name ACCESS who
// may read datasets without an endpoint. To add a family, add a file and a line here.
// The order is that of the event catalogue.
import * as analytics from './analytics.ts';
import * as anomalies from './anomalies.ts';
import * as backtests from './backtests.ts';
import * as borrowing from './borrowing.ts';
import * as conditions from './conditions.ts';
import * as coverage from './coverage.ts';
import * as development from './development.ts';
import type { EventType } from './event.ts';
import * as eventRules from './event-rules.ts';
import * as exposure from './exposure.ts';
import * as governance from './governance.ts';
import * as layer2 from './layer2.ts';
import * as lending from './lending.ts';
import * as mev from './mev.ts';
import * as networkA from './network-a.ts';
import * as networkB from './network-b.ts';
import * as networks from './networks.ts';
import * as oraclePaths from './oracle-paths.ts';
import * as oracles from './oracles.ts';
import * as overall from './overall.ts';
import type { DatasetAccess } from './plans.ts';
import * as pools from './pools.ts';
import * as regime from './regime.ts';
import * as restaking from './restaking.ts';
import * as social from './social.ts';
import * as sources from './sources.ts';
import * as statusHistory from './status-history.ts';
import * as vaults from './vaults.ts';
import * as yields from './yields.ts';

export interface FamilySchemas {
  readonly EVENTS?: readonly EventType[];
  /** Who may read those of its datasets that no endpoint serves, by id. */
  readonly ACCESS?: { readonly [dataset: string]: DatasetAccess };
  /** The shapes of the family. The API document names those whose names end in `Schema` or `Data`. */
  readonly [exported: string]: unknown;
}

export const FAMILIES: readonly FamilySchemas[] = [
  oracles,
  development,
  governance,
  layer2,
  lending,
  borrowing,
  vaults,
  exposure,
  oraclePaths,
  pools,
  networkA,
  networkB,
  networks,
  restaking,
  social,
  anomalies,
  yields,
  regime,
  mev,
  overall,
  analytics,
  backtests,
  sources,
  statusHistory,
  coverage,
  conditions,
  eventRules,
];
