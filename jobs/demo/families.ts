// The families of the demo world beside its oracles, a line each.
import type { Source } from '../define.ts';
import { anomalyDemoSources } from './families/anomalies.ts';
import { developmentDemoSources } from './families/development.ts';
import { governanceDemoSources } from './families/governance.ts';
import { layer2DemoSources } from './families/layer2.ts';
import { lendingDemoSources } from './families/lending.ts';
import { mevDemoSources } from './families/mev.ts';
import { networkADemoSources } from './families/network-a.ts';
import { networkBDemoSources } from './families/network-b.ts';
import { overallDemoSources } from './families/overall.ts';
import { regimeDemoSources } from './families/regime.ts';
import { restakingDemoSources } from './families/restaking.ts';
import { socialDemoSources } from './families/social.ts';
import { yieldsDemoSources } from './families/yields.ts';
import type { DemoSettings } from './world.ts';

export const familySources: readonly ((settings: DemoSettings) => readonly Source[])[] = [
  anomalyDemoSources,
  developmentDemoSources,
  governanceDemoSources,
  layer2DemoSources,
  lendingDemoSources,
  mevDemoSources,
  networkADemoSources,
  networkBDemoSources,
  overallDemoSources,
  regimeDemoSources,
  restakingDemoSources,
  socialDemoSources,
  yieldsDemoSources,
];
