// The demo world.
import { settingGroup } from './setting-spec.ts';

export const DEMO = settingGroup('The demo world', [
  {
    name: 'demo_seed',
    kind: 'integer',
    min: 0,
    max: 4_294_967_295,
    default: '1',
    help: 'Seed of the demo world',
  },
  {
    name: 'demo_feeds',
    kind: 'integer',
    min: 40,
    max: 100_000,
    default: '40',
    help: 'Feeds in the demo world',
  },
  {
    name: 'demo_days',
    kind: 'integer',
    min: 1,
    max: 3_650,
    default: '30',
    help: 'Days of history in the demo world',
  },
  {
    name: 'demo_incidents',
    kind: 'boolean',
    default: 'true',
    help: 'Add scripted incidents to the demo world',
  },
]);
