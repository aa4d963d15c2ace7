// The development domain: commits, merges and releases in the repositories of protocols and blockchains.

import { defineDomain } from '../../define/domain.ts';
import { developmentBlockchains, developmentProtocols, developmentScores } from './dataset.ts';
import { developmentDemoSources } from '../../sources/demo/development.ts';
import { developmentPolicy } from './policy.ts';
import { developmentCommit, developmentRelease, developmentRepository } from './raw.ts';

export const development = defineDomain({
  id: 'development',
  title: 'Development',
  folder: new URL('./', import.meta.url),
  raw: [developmentRepository, developmentCommit, developmentRelease],
  essential: [developmentRepository, developmentCommit],
  policy: [developmentPolicy],
  datasets: [developmentProtocols, developmentBlockchains, developmentScores],
  detectors: [],
  links: [
    {
      tables: 'obs.development_repository',
      of: { repository: 'repository' },
      to: { path: 'path' },
    },
  ],
  demo: developmentDemoSources,
});
