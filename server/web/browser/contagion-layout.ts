// Where the picture of contagion draws what: a column for each kind from the start to the yields, or on narrow screens one list of all. Only
// the largest are drawn, with everything on the way to them.

export interface Step {
  readonly node: string;
  readonly kind: string;
  readonly name: string | null;
}

export interface Reliance extends Step {
  readonly share_low: number;
  readonly share_high: number;
  readonly value_usd: number | null;
  readonly usd_low: number | null;
  readonly usd_high: number | null;
  readonly path: readonly Step[];
}

export interface ReachOfKind {
  /** Null if the kind is not published or may not be read. */
  readonly count: number | null;
  readonly usd_low: number | null;
  readonly usd_high: number | null;
  readonly unknown: number | null;
}

export interface ExposurePaths {
  readonly from: {
    readonly id: string;
    readonly kind: string;
    readonly name: string | null;
    readonly is_broken: boolean | null;
    readonly markets: readonly string[];
  };
  readonly reach: Readonly<Record<'market' | 'vault' | 'asset' | 'yield', ReachOfKind>>;
  readonly nodes: readonly Reliance[];
  readonly circles: readonly (readonly string[])[];
  readonly gaps: readonly string[];
}

export const KINDS = ['asset', 'market', 'vault', 'yield'] as const;
export type Kind = (typeof KINDS)[number];
/** Of each kind, besides those on the way to others. */
const MAX_OF_KIND = 6;

/** Issuers and venues hold nothing that is known; if they do, they stand with the assets. */
const kindOf = (kind: string): Kind => KINDS.find((one) => one === kind) ?? 'asset';

export interface PictureContent {
  readonly all: readonly Reliance[];
  /** Pairs of what is held and its holder. */
  readonly edges: readonly (readonly [held: string, holder: string])[];
  /** Circles of which every node is drawn. */
  readonly circles: readonly (readonly string[])[];
  /** Known ones that are not drawn, and ones of which nothing is known, by kind. */
  readonly rest: Readonly<Record<Kind, { readonly more: number; readonly unknown: number }>>;
}

/** What is drawn, largest first. */
export function drawnOf({ from, nodes, circles, reach }: ExposurePaths): PictureContent {
  const byNode = new Map(nodes.map((one) => [one.node, one]));
  const largest = KINDS.flatMap((kind) =>
    nodes.filter((one) => kindOf(one.kind) === kind).slice(0, MAX_OF_KIND),
  );
  const chosen = new Set([
    ...circles.flat().filter((node) => byNode.has(node)),
    ...largest.flatMap((one) => [
      one.node,
      ...one.path.map(({ node }) => node).filter((node) => byNode.has(node)),
    ]),
  ]);
  const all = nodes.filter(({ node }) => chosen.has(node));
  const edges = new Map<string, readonly [string, string]>();
  for (const { path } of all)
    path.forEach((step, index) => {
      const before = path[index - 1];
      if (before !== undefined) edges.set(`${before.node} ${step.node}`, [before.node, step.node]);
    });
  const isDrawn = (node: string): boolean => node === from.id || chosen.has(node);
  const count = (kind: Kind) => all.filter((one) => one.kind === kind).length;
  return {
    all,
    edges: [...edges.values()].filter(([held, holder]) => isDrawn(held) && isDrawn(holder)),
    circles: circles.filter((circle) => circle.every(isDrawn)),
    rest: Object.fromEntries(
      KINDS.map((kind) => [
        kind,
        { more: Math.max(0, (reach[kind].count ?? 0) - count(kind)), unknown: reach[kind].unknown ?? 0 },
      ]),
    ) as PictureContent['rest'],
  };
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly start: Box;
  readonly boxes: ReadonlyMap<string, Box>;
  /** Of what is not drawn, or not known. */
  readonly rests: ReadonlyMap<Kind, Box>;
  readonly headings: readonly { readonly kind: Kind; readonly x: number; readonly y: number }[];
  readonly isNarrow: boolean;
}

export const BOX_HEIGHT = 44;
const ROW = 54;
const HEADING = 24;
const MAX_WIDTH = 210;
/** Between columns, for the lines. */
const GUTTER = 40;

interface Column {
  readonly kind: Kind;
  readonly nodes: readonly string[];
  readonly hasRest: boolean;
}

function columnsOf({ all, edges, rest }: PictureContent): readonly Column[] {
  const order = new Map<string, number>();
  const heldBy = (node: string): number =>
    Math.min(...edges.filter(([, holder]) => holder === node).map(([held]) => order.get(held) ?? -1), 1e9);
  return KINDS.map((kind) => {
    const own = all.filter((one) => kindOf(one.kind) === kind).map(({ node }) => node);
    // Next to what they hold, so that few lines cross.
    const nodes = own.toSorted((a, b) => heldBy(a) - heldBy(b));
    for (const node of nodes) order.set(node, order.size);
    return { kind, nodes, hasRest: rest[kind].more + rest[kind].unknown > 0 };
  }).filter(({ nodes, hasRest }) => nodes.length > 0 || hasRest);
}

const rowsOf = ({ nodes, hasRest }: Column): number =>
  hasRest ? Math.max(1, nodes.length) + 1 : nodes.length;

/** `room`: CSS pixels across. */
export function layoutOf(drawn: PictureContent, room: number, isNarrow: boolean): Layout {
  const columns = columnsOf(drawn);
  return isNarrow ? listLayout(columns, room) : columnLayout(columns, room);
}

function columnLayout(columns: readonly Column[], room: number): Layout {
  const step = room / (columns.length + 1);
  const width = Math.min(MAX_WIDTH, step - GUTTER);
  const most = Math.max(1, ...columns.map(rowsOf));
  const boxAt = (column: number, row: number): Box => ({
    x: column * step + 2,
    y: HEADING + row * ROW,
    width,
  });
  const boxes = new Map<string, Box>();
  const rests = new Map<Kind, Box>();
  for (const [index, column] of columns.entries()) {
    for (const [row, node] of column.nodes.entries()) boxes.set(node, boxAt(index + 1, row));
    // Below the first row, so that no line seems to lead through it.
    if (column.hasRest) rests.set(column.kind, boxAt(index + 1, Math.max(1, column.nodes.length)));
  }
  return {
    ...{ width: room, height: HEADING + most * ROW, isNarrow: false, boxes, rests },
    start: boxAt(0, 0),
    headings: columns.map(({ kind }, index) => ({ kind, x: boxAt(index + 1, 0).x, y: HEADING - 9 })),
  };
}

/** At the left of the list, for the lines. */
const MARGIN = 40;

function listLayout(columns: readonly Column[], room: number): Layout {
  const width = room - MARGIN - 2;
  const boxes = new Map<string, Box>();
  const rests = new Map<Kind, Box>();
  const headings: { kind: Kind; x: number; y: number }[] = [];
  let y = ROW;
  const next = (): Box => {
    const box = { x: MARGIN, y, width };
    y += ROW;
    return box;
  };
  for (const column of columns) {
    headings.push({ kind: column.kind, x: MARGIN, y: y + HEADING - 9 });
    y += HEADING;
    for (const node of column.nodes) boxes.set(node, next());
    if (column.hasRest) rests.set(column.kind, next());
  }
  return {
    width: room,
    height: y,
    isNarrow: true,
    start: { x: MARGIN, y: 0, width },
    boxes,
    rests,
    headings,
  };
}

const middle = ({ y }: Box): number => y + BOX_HEIGHT / 2;

/** From what is held to its holder. */
export function lineOf(from: Box, to: Box, isNarrow: boolean): string {
  const [y1, y2] = [middle(from), middle(to)];
  if (isNarrow || from.x === to.x) {
    const out = Math.max(
      4,
      from.x - Math.min(isNarrow ? MARGIN - 6 : GUTTER / 2, 10 + Math.abs(y2 - y1) / 12),
    );
    return `M${from.x} ${y1}C${out} ${y1} ${out} ${y2} ${to.x} ${y2}`;
  }
  const [x1, x2] = to.x > from.x ? [from.x + from.width, to.x] : [from.x, to.x + to.width];
  const half = (x1 + x2) / 2;
  return `M${x1} ${y1}C${half} ${y1} ${half} ${y2} ${x2} ${y2}`;
}

/** One step of a circle, apart from the lines: on the right of a column, or below. */
export function roundOf(from: Box, to: Box, index: number): string {
  const [y1, y2] = [middle(from) + 8, middle(to) + 8];
  if (from.x === to.x) {
    const x = from.x + from.width;
    const out = x + 22 + 12 * (index % 2);
    return `M${x} ${y1}C${out} ${y1} ${out} ${y2} ${x} ${y2}`;
  }
  const isRight = to.x > from.x;
  const [x1, x2] = isRight ? [from.x + from.width, to.x] : [from.x, to.x + to.width];
  const bow = isRight ? -14 : 14;
  return `M${x1} ${y1 + bow}C${(x1 + x2) / 2} ${y1 + bow * 2} ${(x1 + x2) / 2} ${y2 + bow * 2} ${x2} ${y2 + bow}`;
}
