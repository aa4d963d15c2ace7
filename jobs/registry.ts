// The list of families. Adding one takes a folder and a line here; every other registry of the jobs is built from this list.
import { analytics } from './analytics/domain.ts';
import { anomalies } from './anomalies/domain.ts';
import { borrowing } from './borrowing/domain.ts';
import { conditions } from './conditions/domain.ts';
import { coverage } from './coverage/domain.ts';
import { crossChecks } from './cross-checks/domain.ts';
import type { Domain } from './define/domain.ts';
import { development } from './development/domain.ts';
import { eventRulesOf } from './event-rules/domain.ts';
import { exposure } from './exposure/domain.ts';
import { governance } from './governance/domain.ts';
import { layer2 } from './layer2/domain.ts';
import { lending } from './lending/domain.ts';
import { mev } from './mev/domain.ts';
import { networkA } from './network-a/domain.ts';
import { networkB } from './network-b/domain.ts';
import { networks } from './networks/domain.ts';
import { oracles } from './oracles/domain.ts';
import { overall } from './overall/domain.ts';
import { pools } from './pools/domain.ts';
import { regime } from './regime/domain.ts';
import { restaking } from './restaking/domain.ts';
import { social } from './social/domain.ts';
import { sources } from './sources/domain.ts';
import { yields } from './yields/domain.ts';

export const families = [
  oracles,
  development,
  governance,
  layer2,
  lending,
  borrowing,
  exposure,
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
