// All troubles of the world, by name.
import { DECEIVING } from './deceptions.ts';
import { OTHER_FORMS } from './other-forms.ts';
import { BROKEN, REFUSING } from './refusals.ts';
import type { Trouble } from './trouble.ts';

export const TROUBLES: readonly Trouble[] = [...REFUSING, ...BROKEN, ...DECEIVING, ...OTHER_FORMS];
/** Nothing arrives at all: what it looks like when a provider goes away for days. */
export const ABSENCES = TROUBLES.filter(({ name }) =>
  ['5xx', 'a closed port', 'a name that does not resolve', '4xx'].includes(name),
);
