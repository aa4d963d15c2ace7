// Ages on the page, kept current by the clock of the service. At a past time, everything has the age that it had then; only what is about
// the service itself, in elements with `data-live`, has its current age.
import { msOf, serviceClock, span } from './format.ts';
import { asOf } from './state.ts';

const AGES: Readonly<Record<string, (seconds: number) => string>> = {
  age: (seconds) => `${span(Math.max(0, seconds))} ago`,
  lasting: (seconds) => span(Math.max(0, seconds)),
  opening: (seconds) =>
    seconds < 0 ? `in ${span(-seconds)}` : `since ${span(seconds)}, unless it has ended`,
  due: (seconds) => (seconds > 0 ? `${span(seconds)} late` : `in ${span(-seconds)}`),
};

export function showAges(nowMs: number): void {
  const moment = asOf();
  const shown = moment === undefined ? serviceClock(nowMs) : msOf(moment);
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-distance]')) {
    const until = time.closest('[data-live]') === null ? shown : serviceClock(nowMs);
    const seconds = Math.round((until - Date.parse(time.dateTime)) / 1_000);
    const text = AGES[time.dataset['distance'] ?? '']?.(seconds) ?? '';
    if (time.textContent !== text) time.textContent = text;
  }
}
