// The list of domains. A new one is a folder and a line here.
import { anomalies } from './anomalies/domain.ts';
import { coverage } from './coverage/domain.ts';
import type { Domain } from './define.ts';
import { development } from './development/domain.ts';
import { events } from './events/domain.ts';
import { governance } from './governance/domain.ts';
import { layer2 } from './layer2/domain.ts';
import { lending } from './lending/domain.ts';
import { mev } from './mev/domain.ts';
import { networkA } from './network-a/domain.ts';
import { networkB } from './network-b/domain.ts';
import { oracles } from './oracles/domain.ts';
import { overall } from './overall/domain.ts';
import { regime } from './regime/domain.ts';
import { restaking } from './restaking/domain.ts';
import { social } from './social/domain.ts';
import { yields } from './yields/domain.ts';

export const domains = [
  oracles,
  development,
  governance,
  layer2,
  lending,
  networkA,
  networkB,
  restaking,
  social,
  yields,
  anomalies,
  mev,
  regime,
  overall,
  coverage,
  events,
] as const satisfies readonly Domain[];
