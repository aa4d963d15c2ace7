// All kinds of trouble, by name.
import { DECEIVING } from './deceptions.ts';
import { OTHER_FORMS } from './other-forms.ts';
import { BROKEN, REFUSING } from './refusals.ts';
import type { Trouble } from './trouble.ts';

export const TROUBLES: readonly Trouble[] = [...REFUSING, ...BROKEN, ...DECEIVING, ...OTHER_FORMS];
/** Troubles in which nothing arrives, as when a provider is down for days. */
export const ABSENCES = TROUBLES.filter(({ name }) =>
  ['5xx', 'a closed port', 'a name that does not resolve', '4xx'].includes(name),
);
