// How well a detector does over one series against incidents marked by hand: which it found, what else it found, and how often
// it spoke in calm times.
export interface Marked {
  /** First and last day, `YYYY-MM-DD`. */
  readonly from: string;
  readonly to: string;
  readonly direction: string;
  readonly reason: string;
}

export interface Series {
  readonly incidents: readonly Marked[];
  readonly calm: readonly { readonly from: string; readonly to: string }[];
}

export interface Alarm {
  readonly day: string;
  readonly direction: string;
}

export interface Score {
  readonly incidents: number;
  /** Incidents on a day for which there was a baseline. */
  readonly judged: number;
  readonly found: number;
  readonly alarms: number;
  readonly alarms_on_incidents: number;
  readonly calm_days: number;
  readonly calm_alarms: number;
  readonly missed: readonly string[];
  readonly unmarked: readonly string[];
}

const DAY_MS = 86_400_000;
const holds = ({ from, to }: { readonly from: string; readonly to: string }, day: string) =>
  from <= day && day <= to;
const daysOf = ({ from, to }: { readonly from: string; readonly to: string }) =>
  (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;

/** `judgedDays`: days on which there was a baseline. Two alarms of one direction on one day are one. */
export function scoreDetector(
  series: Series,
  alarms: readonly Alarm[],
  judgedDays: ReadonlySet<string>,
): Score {
  const distinct = [...new Map(alarms.map((alarm) => [`${alarm.day} ${alarm.direction}`, alarm])).values()];
  const isOf = (incident: Marked, { day, direction }: Alarm) =>
    incident.direction === direction && holds(incident, day);
  const unmarked = distinct.filter((alarm) => !series.incidents.some((incident) => isOf(incident, alarm)));
  const missed = series.incidents.filter((incident) => !distinct.some((alarm) => isOf(incident, alarm)));
  const isJudged = (incident: Marked) => [...judgedDays].some((day) => holds(incident, day));
  return {
    incidents: series.incidents.length,
    judged: series.incidents.filter(isJudged).length,
    found: series.incidents.length - missed.length,
    alarms: distinct.length,
    alarms_on_incidents: distinct.length - unmarked.length,
    calm_days: series.calm.reduce((sum, span) => sum + daysOf(span), 0),
    calm_alarms: distinct.filter(({ day }) => series.calm.some((span) => holds(span, day))).length,
    missed: missed.map(({ from, direction }) => `${from} ${direction}`),
    unmarked: unmarked.map(({ day, direction }) => `${day} ${direction}`),
  };
}

/** The sum over several series. */
export function totalOf(scores: readonly Score[]): Score {
  const sum = (count: (score: Score) => number) => scores.reduce((total, score) => total + count(score), 0);
  return {
    incidents: sum(({ incidents }) => incidents),
    judged: sum(({ judged }) => judged),
    found: sum(({ found }) => found),
    alarms: sum(({ alarms }) => alarms),
    alarms_on_incidents: sum(({ alarms_on_incidents }) => alarms_on_incidents),
    calm_days: sum(({ calm_days }) => calm_days),
    calm_alarms: sum(({ calm_alarms }) => calm_alarms),
    missed: scores.flatMap(({ missed }) => missed),
    unmarked: scores.flatMap(({ unmarked }) => unmarked),
  };
}

const ratio = (part: number, whole: number) => (whole === 0 ? 'none' : (part / whole).toFixed(2));

/** One line for a report. */
export const describe = (name: string, score: Score): string =>
  [
    `${name}: found ${score.found} of ${score.judged} judged incidents (recall ${ratio(score.found, score.judged)}, ${score.incidents} marked)`,
    `${score.alarms_on_incidents} of ${score.alarms} alarms on incidents (precision ${ratio(score.alarms_on_incidents, score.alarms)})`,
    `${score.calm_alarms} alarms in ${score.calm_days} calm days (${score.calm_days === 0 ? 'none' : ((score.calm_alarms * 30) / score.calm_days).toFixed(2)} a month)`,
  ].join('; ');
