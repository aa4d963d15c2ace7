// Counts requests and their durations by endpoint. A request costs two additions; everything else happens on a scrape.
import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** Upper bounds of the duration buckets, seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Route {
  readonly byStatus: Map<number, number>;
  readonly classes: Float64Array;
  seconds: number;
  count: number;
}

export class RequestMetrics {
  readonly #routes = new Map<string, Route>();

  /** `route`: the pattern of the path, never the path itself, which has too many values. */
  record(route: string, status: number, seconds: number): void {
    const known = this.#routes.get(route) ?? this.#add(route);
    known.byStatus.set(status, (known.byStatus.get(status) ?? 0) + 1);
    const index = BOUNDS.findIndex((bound) => seconds <= bound);
    const position = index < 0 ? BOUNDS.length : index;
    known.classes[position] = (known.classes[position] ?? 0) + 1;
    known.seconds += seconds;
    known.count += 1;
  }

  counts(): MetricValue<string>[] {
    return [...this.#routes].flatMap(([route, { byStatus }]) =>
      [...byStatus].map(([status, value]) => ({ value, labels: { route, status: String(status) } })),
    );
  }

  durations(name: string): MetricObjectWithValues<MetricValue<string>>['values'] {
    return [...this.#routes].flatMap(([route, { classes, seconds, count }]) => {
      let below = 0;
      const buckets = BOUNDS.map((bound, index) => {
        below += classes[index] ?? 0;
        return { value: below, labels: { route, le: bound }, metricName: `${name}_bucket` };
      });
      return [
        ...buckets,
        { value: count, labels: { route, le: '+Inf' }, metricName: `${name}_bucket` },
        { value: seconds, labels: { route }, metricName: `${name}_sum` },
        { value: count, labels: { route }, metricName: `${name}_count` },
      ];
    });
  }

  #add(route: string): Route {
    const made = { byStatus: new Map(), classes: new Float64Array(BOUNDS.length + 1), seconds: 0, count: 0 };
    this.#routes.set(route, made);
    return made;
  }
}
