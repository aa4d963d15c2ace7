// Reads the facts of an event or a summary for a message about it. What cannot be read is left out, so that a message is sent in any case.
import type { RiskEvent } from '../../../schemas/event.ts';
import { isSummaryType } from '../../../schemas/webhooks.ts';
import type { Services } from '../../services.ts';
import { rulesOfEvent } from '../rule-meanings.ts';
import { namesOfSubjects } from '../subject-names.ts';
import { factsOf } from './event-story.ts';
import { factsOfEvent } from './facts-of-event.ts';
import type { StoryFacts } from './story-facts.ts';

const WHOLE_LOG = {
  from: 0,
  to: Number.POSITIVE_INFINITY,
  upTo: undefined,
  manifest: undefined,
  window_days: 0,
  delay_seconds: 0,
};

/** `report`: called with the reason if only the envelope is known. Test events are about nothing that is published. */
export async function alertFacts(
  services: Services,
  event: RiskEvent,
  report: (error: unknown) => void,
): Promise<StoryFacts> {
  const manifest = services.versions.current?.manifest;
  if (event.test === true || manifest === undefined) return factsOf(event);
  try {
    if (isSummaryType(event.type))
      return { ...factsOf(event), names: await namesOfSubjects(services, subjectsIn(event), manifest) };
    const { rules } = await rulesOfEvent(services, event);
    return await factsOfEvent(services, { event, view: WHOLE_LOG, manifest, rules });
  } catch (error) {
    report(error);
    return factsOf(event);
  }
}

/** The subjects of a summary, in the form of events. */
const subjectsIn = ({ data }: RiskEvent): readonly Buffer[] =>
  Array.isArray(data['subjects']) ? data['subjects'].map((one) => Buffer.from(JSON.stringify(one))) : [];
