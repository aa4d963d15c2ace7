// The event domain: detectors over what the other domains derive, and the rules they follow.
import { defineDomain } from '../define.ts';
import { eventRules } from './dataset.ts';
import { detectors } from './detectors.ts';
import { eventPolicy } from './policy.ts';

export const events = defineDomain({
  id: 'events',
  folder: new URL('./', import.meta.url),
  raw: [],
  policy: [eventPolicy],
  datasets: [eventRules],
  detectors,
});
