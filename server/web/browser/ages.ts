// Ages on the page, kept current by the clock of the service.
import { serviceClock, span } from './format.ts';

const WORDS: Readonly<Record<string, (seconds: number) => string>> = {
  age: (seconds) => `${span(Math.max(0, seconds))} ago`,
  lasting: (seconds) => span(Math.max(0, seconds)),
  due: (seconds) => (seconds > 0 ? `${span(seconds)} late` : `in ${span(-seconds)}`),
};

export function showAges(nowMs: number): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-distance]')) {
    const seconds = Math.round((serviceClock(nowMs) - Date.parse(time.dateTime)) / 1_000);
    const text = WORDS[time.dataset['distance'] ?? '']?.(seconds) ?? '';
    if (time.textContent !== text) time.textContent = text;
  }
}
