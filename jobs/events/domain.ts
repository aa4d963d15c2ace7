// The event domain: detectors over what the other domains derive.
import { defineDomain } from '../define.ts';
import { detectors } from './detectors.ts';

export const events = defineDomain({
  id: 'events',
  folder: new URL('./', import.meta.url),
  raw: [],
  policy: [],
  datasets: [],
  detectors,
});
