// Development scores of one day straight from their definition (decision 5), commit by commit.
export const DAY = 86_400;

export interface Commit {
  readonly repository: string;
  readonly author: string;
  readonly at: number;
  readonly parents: number;
  readonly isBot: boolean;
  /** Files changed, lines added, lines removed; absent where the source does not say. */
  readonly shape?: string;
  /** No file and no line changed. */
  readonly isEmpty?: boolean;
}

export interface Facts {
  readonly commits: readonly Commit[];
  readonly releases: readonly { readonly repository: string; readonly at: number }[];
  /** Repository -> whom it stands for; null for a fork. */
  readonly owners: Readonly<Record<string, string | null>>;
}

const distinct = <T>(items: readonly T[]) => [...new Set(items)];

/** Name -> score on the day, as of its end or of `now`. */
export function scoresOn(day: number, now: number, facts: Facts): Readonly<Record<string, number>> {
  const last = Math.min(day + DAY - 1, now);
  const seen = <T extends { readonly at: number }>(items: readonly T[]) =>
    items.filter(({ at }) => at <= last);
  const isRecent = ({ at }: { at: number }) => at >= day - 29 * DAY && at <= last;
  const repositories = distinct(seen(facts.commits).map(({ repository }) => repository)).filter(
    (repository) => (facts.owners[repository] ?? null) !== null,
  );
  const knowsReleases = seen(facts.releases).some(({ repository }) => repositories.includes(repository));
  const names = distinct(repositories.map((repository) => facts.owners[repository] ?? ''));
  const figures = names.map((name) => {
    const own = repositories.filter((repository) => facts.owners[repository] === name);
    const parts = own.map((repository) => {
      const ofRepository = facts.commits.filter((commit) => commit.repository === repository);
      const commits = ofRepository.filter(isRecent);
      const bots = botsSince(ofRepository, facts.commits);
      const people = commits.filter(
        ({ author, isEmpty = false }) => !isEmpty && (bots.get(author) ?? Infinity) > day,
      );
      const isBotsOnly = commits.length > 0 && people.length === 0;
      const releases = facts.releases.filter(
        (release) => release.repository === repository && isRecent(release),
      );
      return { people, releases: isBotsOnly ? 0 : releases.length };
    });
    const people = parts.flatMap((part) => part.people);
    return [
      people.filter(({ parents }) => parents < 2).length,
      distinct(people.map(({ author }) => author)).length,
      people.filter(({ parents }) => parents > 1).length,
      ...(knowsReleases ? [parts.reduce((sum, { releases }) => sum + releases, 0)] : []),
    ];
  });
  return Object.fromEntries(names.map((name, index) => [name, scoreOf(figures[index] ?? [], figures)]));
}

const known = new WeakMap<object, Map<string, number>>();

/** Author -> first day on which he or she showed to be a bot. `commits` are all of one repository, late ones too: no day looks ahead. */
function botsSince(commits: readonly Commit[], all: readonly Commit[]): Map<string, number> {
  const key = commits[0] ?? commits;
  const before = known.get(key);
  if (before !== undefined && countOf.get(key) === commits.length) return before;
  const days = Map.groupBy(commits, ({ at }) => at - (at % DAY));
  const first = Math.min(...days.keys());
  const last = Math.max(...days.keys()) + 29 * DAY;
  const since = new Map<string, number>();
  for (let day = first; day <= last; day += DAY)
    for (const author of botsOn(day, days, all)) if (!since.has(author)) since.set(author, day);
  known.set(key, since);
  countOf.set(key, commits.length);
  return since;
}
const countOf = new WeakMap<object, number>();

const flaggedIn = (commits: readonly Commit[]) =>
  new Set(commits.filter(({ isBot }) => isBot).map(({ author }) => author));
const peopleIn = (commits: readonly Commit[]) => {
  const flagged = flaggedIn(commits);
  return new Set(commits.map(({ author }) => author).filter((author) => !flagged.has(author)));
};

/** In another repository the author is one of several people and made no more than 95 % of the commits of the month. */
function worksWithOthers(author: string, day: number, all: readonly Commit[]): boolean {
  const month = all.filter(({ at }) => at >= day - 29 * DAY && at < day + DAY);
  return [...Map.groupBy(month, ({ repository }) => repository).values()].some((commits) => {
    const people = peopleIn(commits);
    const own = commits.filter((commit) => commit.author === author).length;
    return own > 0 && people.has(author) && people.size > 1 && own <= 0.95 * commits.length;
  });
}

/** The only one who works on the repository, with commits of which fewer than 80 % have one size. */
function isAloneAndVaried(author: string, month: readonly Commit[]): boolean {
  const people = peopleIn(month);
  const sized = month.filter((one) => one.author === author && one.parents < 2 && one.shape !== undefined);
  const largest = Math.max(
    0,
    ...[...Map.groupBy(sized, ({ shape }) => shape).values()].map((own) => own.length),
  );
  return people.has(author) && people.size === 1 && sized.length > 0 && largest < 0.8 * sized.length;
}

function botsOn(day: number, days: ReadonlyMap<number, readonly Commit[]>, all: readonly Commit[]): string[] {
  const back = (n: number) => Array.from({ length: n }, (_, index) => days.get(day - index * DAY) ?? []);
  const today = days.get(day) ?? [];
  const month = back(30).flat();
  const byAuthor = Map.groupBy(month, ({ author }) => author);
  const dominant = [...byAuthor].filter(
    ([author, own]) =>
      own.length > 50 &&
      own.length > 0.95 * month.length &&
      !isAloneAndVaried(author, month) &&
      !worksWithOthers(author, day, all),
  );
  const quarter = today.length === 0 ? [] : back(90);
  const odd = distinct(today.map(({ author }) => author)).filter((author) => {
    const active = quarter.filter((one) => one.some((commit) => commit.author === author)).length;
    const shaped = quarter
      .flat()
      .filter(({ author: by, parents, shape }) => by === author && parents < 2 && shape !== undefined);
    const counts = [...Map.groupBy(shaped, ({ shape }) => shape)].filter(([shape]) =>
      today.some((commit) => commit.author === author && commit.parents < 2 && commit.shape === shape),
    );
    const isAlike = shaped.length >= 20 && counts.some(([, alike]) => alike.length >= 0.8 * shaped.length);
    return active >= 86 || isAlike;
  });
  const flagged = today.filter(({ isBot }) => isBot).map(({ author }) => author);
  return [...flagged, ...dominant.map(([author]) => author), ...odd];
}

function scoreOf(own: readonly number[], all: readonly (readonly number[])[]): number {
  const weights = [40, 25, 20, 15].slice(0, own.length);
  const sum = own.reduce((total, x, index) => {
    const sorted = all.map((figures) => figures[index] ?? 0).toSorted((a, b) => a - b);
    const high = sorted[Math.ceil((sorted.length * 95) / 100) - 1] ?? 0;
    const part = high > 0 ? Math.min(1, Math.log1p(x) / Math.log1p(high)) : Math.sign(x);
    return total + (weights[index] ?? 0) * part;
  }, 0);
  return sum / weights.reduce((total, weight) => total + weight, 0);
}
