// The most that can flow from one node of a network to another when every edge carries at most its capacity: Dinic's algorithm. The result
// depends on the network only, never on the order of its edges, as far as sums of doubles are exact.

interface Arc {
  readonly to: number;
  /** Index of the opposite arc. */
  readonly opposite: number;
  capacity: number;
}

export class FlowNetwork {
  readonly #nodes = new Map<string, number>();
  readonly #arcs: Arc[] = [];
  /** Arcs of each node. */
  readonly #outgoing: number[][] = [];

  /** Several edges between the same nodes add up. An edge without capacity carries nothing. */
  edge(from: string, to: string, capacity: number): void {
    if (!(capacity > 0)) return;
    const [start, end] = [this.#node(from), this.#node(to)];
    this.#arc(start, { to: end, opposite: this.#arcs.length + 1, capacity });
    this.#arc(end, { to: start, opposite: this.#arcs.length - 1, capacity: 0 });
  }

  /** Uses the network up: call it once. */
  maximum(source: string, sink: string): number {
    const [start, end] = [this.#node(source), this.#node(sink)];
    let total = 0;
    for (let levels = this.#levels(start); (levels[end] ?? -1) >= 0; levels = this.#levels(start)) {
      const next = this.#outgoing.map(() => 0);
      for (let sent = this.#send(start, end, { levels, next }); sent > 0; ) {
        total += sent;
        sent = this.#send(start, end, { levels, next });
      }
    }
    return total;
  }

  /** After `maximum`, the nodes to which more than `least` could still flow from another one. */
  reachable(from: string, least: number): ReadonlySet<string> {
    const levels = this.#levels(this.#node(from), least);
    return new Set([...this.#nodes].flatMap(([name, node]) => ((levels[node] ?? -1) >= 0 ? [name] : [])));
  }

  #node(name: string): number {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    this.#nodes.set(name, this.#outgoing.length);
    return this.#outgoing.push([]) - 1;
  }

  #arc(from: number, arc: Arc): void {
    this.#outgoing[from]?.push(this.#arcs.push(arc) - 1);
  }

  /** Number of edges with more than `least` free capacity from the start to each node; −1 where none leads. */
  #levels(start: number, least = 0): number[] {
    const levels = this.#outgoing.map(() => -1);
    levels[start] = 0;
    const queue = [start];
    for (const node of queue)
      for (const index of this.#outgoing[node] ?? []) {
        const arc = this.#arcs[index];
        if (arc === undefined || arc.capacity <= least || levels[arc.to] !== -1) continue;
        levels[arc.to] = (levels[node] ?? 0) + 1;
        queue.push(arc.to);
      }
    return levels;
  }

  /** Sends what one path carries, which only leads away from the start. `next`: the first arc of each node that is not used up. */
  #send(
    node: number,
    end: number,
    search: { readonly levels: readonly number[]; readonly next: number[] },
    limit = Number.POSITIVE_INFINITY,
  ): number {
    if (node === end) return limit;
    const outgoing = this.#outgoing[node] ?? [];
    for (let at = search.next[node] ?? 0; at < outgoing.length; at++) {
      search.next[node] = at;
      const arc = this.#arcs[outgoing[at] ?? -1];
      const isAway = arc !== undefined && search.levels[arc.to] === (search.levels[node] ?? 0) + 1;
      if (!isAway || arc.capacity <= 0) continue;
      const sent = this.#send(arc.to, end, search, Math.min(limit, arc.capacity));
      if (sent <= 0) continue;
      const opposite = this.#arcs[arc.opposite];
      arc.capacity -= sent;
      if (opposite !== undefined) opposite.capacity += sent;
      return sent;
    }
    search.next[node] = outgoing.length;
    return 0;
  }
}
