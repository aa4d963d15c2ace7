// Circles of holdings: nodes that hold each other, directly or through others. Within one, a loss comes back to where it began.
import { type Edge, UNKNOWN } from './exposure.ts';

type Steps = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * One circle for each group of nodes that hold each other, in the order in which a loss goes round: each is held by the next, and the last by
 * the first. It is the shortest through the first node of its group in code point order. `nodes`: those that count.
 */
export function circlesAmong(
  nodes: ReadonlySet<string>,
  edges: readonly Edge[],
): readonly (readonly string[])[] {
  const own = edges.filter(
    ({ from, to, share }) => share > 0 && from !== to && to !== UNKNOWN && nodes.has(from) && nodes.has(to),
  );
  const up = stepsOf(own.map(({ from, to }) => [to, from]));
  const down = stepsOf(own.map(({ from, to }) => [from, to]));
  const open = inCircles(up, down);
  const circles: (readonly string[])[] = [];
  for (const node of [...open].toSorted(byCodePoints)) {
    if (!open.has(node)) continue;
    const [above, below] = [reached(node, up, open), reached(node, down, open)];
    const group = new Set([...above].filter((other) => below.has(other)));
    if (group.size > 1) circles.push(shortestCircle(node, up, group));
    for (const other of group) open.delete(other);
    open.delete(node);
  }
  return circles;
}

const byCodePoints = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function stepsOf(pairs: readonly (readonly [start: string, end: string])[]): Steps {
  const steps = new Map<string, Set<string>>();
  for (const [start, end] of pairs) steps.set(start, (steps.get(start) ?? new Set()).add(end));
  return steps;
}

/** What is left once nodes without a way in or out are taken away, again and again. */
function inCircles(up: Steps, down: Steps): Set<string> {
  const left = new Set([...up.keys()].filter((node) => down.has(node)));
  const waiting = [...left];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const hasWay = (steps: Steps) => [...(steps.get(node) ?? [])].some((other) => left.has(other));
    if (!left.has(node) || (hasWay(up) && hasWay(down))) continue;
    left.delete(node);
    for (const steps of [up, down])
      for (const other of steps.get(node) ?? []) if (left.has(other)) waiting.push(other);
  }
  return left;
}

/** The node itself, and everything that its steps lead to within some nodes. */
function reached(start: string, steps: Steps, within: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set([start]);
  const waiting = [start];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop())
    for (const other of steps.get(node) ?? [])
      if (within.has(other) && !found.has(other)) {
        found.add(other);
        waiting.push(other);
      }
  return found;
}

/** By breadth: `group` leads back to the start. */
function shortestCircle(start: string, up: Steps, group: ReadonlySet<string>): readonly string[] {
  const before = new Map<string, string | undefined>([[start, undefined]]);
  let front: readonly string[] = [start];
  while (front.length > 0) {
    const next: string[] = [];
    for (const node of front)
      for (const other of [...(up.get(node) ?? [])].toSorted(byCodePoints)) {
        if (other === start) return pathTo(node, before);
        if (!group.has(other) || before.has(other)) continue;
        before.set(other, node);
        next.push(other);
      }
    front = next;
  }
  return [];
}

function pathTo(end: string, before: ReadonlyMap<string, string | undefined>): readonly string[] {
  const path: string[] = [];
  for (let node: string | undefined = end; node !== undefined; node = before.get(node)) path.unshift(node);
  return path;
}
