// The version of datasets that a request means: by name, by time, or the newest one.
import { Type } from '../../schemas/define.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { parameterFailure } from '../define/failure.ts';
import type { Moment, Services } from '../services.ts';

export const momentParameters = {
  version: Type.Optional(Type.String({ description: 'A kept version; default: the newest one' })),
  as_of: Type.Optional(
    Type.String({
      description: 'Instead of `version`: the newest version that is not later than this time',
      format: 'date-time',
      pattern: 'Z$',
    }),
  ),
};

/** @throws Failure `validation_failed` for both parameters, `not_found` if no such version is kept */
export function manifestAt(services: Services, when: Moment): Promise<Manifest> {
  if (when.version !== undefined && when.as_of !== undefined)
    throw parameterFailure('as_of', 'is given together with version: send one of them');
  return services.datasets.manifestAt(when);
}
