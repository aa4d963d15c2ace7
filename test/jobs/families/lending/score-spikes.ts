// How well spikes of utilisation agree with stretches marked by hand. An alarm is raised once and stays until its market is calm again: a
// marked stretch is found when an alarm begins in it, or stands at its first hour.

/** Hours as texts that sort, both ends included. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

export interface MarkedSeries {
  readonly strains: readonly (Span & { readonly reason: string })[];
  readonly calm: readonly Span[];
}

export interface SpikeScore {
  readonly strains: number;
  readonly found: number;
  readonly alarms: number;
  readonly alarms_on_strains: number;
  readonly calm_hours: number;
  readonly calm_alarms: number;
  readonly missed: readonly string[];
}

const isIn = ({ from, to }: Span, hour: string) => from <= hour && hour <= to;

/** `hours`: every hour of the series, filled ones too. */
export function scoreSpikes(
  { strains, calm }: MarkedSeries,
  alarms: readonly Span[],
  hours: readonly string[],
): SpikeScore {
  const missed = strains.filter(
    (strain) => !alarms.some((alarm) => isIn(strain, alarm.from) || isIn(alarm, strain.from)),
  );
  const onStrains = alarms.filter(({ from }) => strains.some((strain) => isIn(strain, from)));
  return {
    strains: strains.length,
    found: strains.length - missed.length,
    alarms: alarms.length,
    alarms_on_strains: onStrains.length,
    calm_hours: hours.filter((hour) => calm.some((span) => isIn(span, hour))).length,
    calm_alarms: alarms.filter(({ from }) => calm.some((span) => isIn(span, from))).length,
    missed: missed.map(({ from, reason }) => `${from}: ${reason}`),
  };
}

export const sumOf = (scores: readonly SpikeScore[]): SpikeScore => ({
  strains: scores.reduce((sum, { strains }) => sum + strains, 0),
  found: scores.reduce((sum, { found }) => sum + found, 0),
  alarms: scores.reduce((sum, { alarms }) => sum + alarms, 0),
  alarms_on_strains: scores.reduce((sum, { alarms_on_strains }) => sum + alarms_on_strains, 0),
  calm_hours: scores.reduce((sum, { calm_hours }) => sum + calm_hours, 0),
  calm_alarms: scores.reduce((sum, { calm_alarms }) => sum + calm_alarms, 0),
  missed: scores.flatMap(({ missed }) => missed),
});

/** One line for a report. */
export const spikesText = (name: string, score: SpikeScore): string =>
  [
    `${name}: found ${score.found} of ${score.strains} strains`,
    `${score.alarms_on_strains} of ${score.alarms} alarms on strains`,
    `${score.calm_alarms} alarms in ${score.calm_hours} calm hours`,
  ].join('; ');
