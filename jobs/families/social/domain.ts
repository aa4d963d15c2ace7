// The social domain: messages about protocols, and their sentiment.

import { defineDomain } from '../../define/domain.ts';
import { socialDemoSources } from '../../sources/demo/social.ts';
import { socialProtocols, socialScores } from './dataset.ts';
import { socialPolicy } from './policy.ts';
import { socialMessage } from './raw.ts';

export const social = defineDomain({
  id: 'social',
  title: 'Social',
  folder: new URL('./', import.meta.url),
  raw: [socialMessage],
  policy: [socialPolicy],
  datasets: [socialProtocols, socialScores],
  detectors: [],
  demo: socialDemoSources,
});
