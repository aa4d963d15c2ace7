// The events in an interval of logical time, as found by a context's detectors and filtered by its storm guard.

import type { Detector } from '../../define/detector.ts';
import { type Parameters, renderParameters } from '../../engine/parameters.ts';
import type { PipelineContext } from '../context.ts';
import type { ResultSource } from '../../incremental/results.ts';
import type { EventQuery } from '../models/model.ts';
import { type Candidate, detect } from './emit.ts';
import { withoutStorms } from './storm-guard.ts';

export type DetectionContext = Pick<PipelineContext, 'models' | 'domains' | 'policy'> & {
  readonly results: ResultSource;
};

/** Candidates of the window in the order of the log, without those that the storm guard leaves out. `types`: all by default. */
export async function detectInWindow(
  context: DetectionContext,
  window: Parameters,
  types?: ReadonlySet<string>,
): Promise<readonly Candidate[]> {
  const detectors = context.domains
    .flatMap((domain) => domain.detectors)
    .filter(({ type }) => types?.has(type) ?? true);
  const rendered = (wanted: readonly Detector[], span: Parameters) =>
    wanted.map((detector) => ({ detector, sql: renderParameters(queryOf(context, detector).sql, span) }));
  const queries = rendered(detectors, window).map((query) => ({
    ...query,
    reading: { ...readingOf(context, query.detector, types), parameters: window },
  }));
  const found = await detect(context.results, queries);
  return withoutStorms(found, {
    policy: context.policy.storm,
    span: window,
    candidates: (type, span) =>
      detect(
        context.results,
        rendered(
          detectors.filter((detector) => detector.type === type),
          { ...span, now: window.now },
        ),
      ),
  });
}

/** Results for some types are kept apart from those for all, whose window is another. */
function readingOf(context: DetectionContext, detector: Detector, types: ReadonlySet<string> | undefined) {
  const query = queryOf(context, detector);
  return types === undefined ? query : { ...query, name: `${query.name} of some types` };
}

function queryOf({ models }: DetectionContext, { type }: Detector): EventQuery {
  const query = models.events.find((event) => event.type === type);
  if (query === undefined) throw new Error(`Detector ${type}: there is no event.${type}.sql.`);
  return query;
}
