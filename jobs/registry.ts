// The list of families. Adding one takes a folder and a line here; every other registry of the jobs is built from this list.
import { analytics } from './families/analytics/domain.ts';
import { anomalies } from './families/anomalies/domain.ts';
import { borrowing } from './families/borrowing/domain.ts';
import { conditions } from './families/conditions/domain.ts';
import { coverage } from './families/coverage/domain.ts';
import { crossChecks } from './families/cross-checks/domain.ts';
import type { Domain } from './define/domain.ts';
import { development } from './families/development/domain.ts';
import { eventRulesOf } from './families/event-rules/domain.ts';
import { exposure } from './families/exposure/domain.ts';
import { governance } from './families/governance/domain.ts';
import { layer2 } from './families/layer2/domain.ts';
import { lending } from './families/lending/domain.ts';
import { mev } from './families/mev/domain.ts';
import { networkA } from './families/network-a/domain.ts';
import { networkB } from './families/network-b/domain.ts';
import { networks } from './families/networks/domain.ts';
import { oraclePaths } from './families/oracle-paths/domain.ts';
import { oracles } from './families/oracles/domain.ts';
import { overall } from './families/overall/domain.ts';
import { pools } from './families/pools/domain.ts';
import { regime } from './families/regime/domain.ts';
import { restaking } from './families/restaking/domain.ts';
import { social } from './families/social/domain.ts';
import { sources } from './families/sources/domain.ts';
import { vaults } from './families/vaults/domain.ts';
import { yields } from './families/yields/domain.ts';

export const families = [
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
  yields,
  anomalies,
  mev,
  regime,
  overall,
  analytics,
  sources,
  crossChecks,
  coverage,
  conditions,
] as const satisfies readonly Domain[];

/** Adds the domain of event rules, which is derived from all families. */
export const completed = <const F extends readonly Domain[]>(list: F) =>
  [...list, eventRulesOf(list)] as const;

export const domains = completed(families);
