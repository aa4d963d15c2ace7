// Development scores of one day straight from their definition (decision 5), commit by commit.
export const DAY = 86_400;

export interface Commit {
  readonly repository: string;
  readonly author: string;
  readonly at: number;
  readonly parents: number;
  readonly isBot: boolean;
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
      const commits = facts.commits.filter((commit) => commit.repository === repository && isRecent(commit));
      const people = commits.filter(({ author }) => !isBot(author, commits));
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
  return Object.fromEntries(names.map((name, at) => [name, scoreOf(figures[at] ?? [], figures)]));
}

function isBot(author: string, commits: readonly Commit[]): boolean {
  const own = commits.filter((commit) => commit.author === author);
  return own.some((commit) => commit.isBot) || (own.length > 50 && own.length > 0.95 * commits.length);
}

function scoreOf(own: readonly number[], all: readonly (readonly number[])[]): number {
  const weights = [40, 25, 20, 15].slice(0, own.length);
  const sum = own.reduce((total, x, at) => {
    const sorted = all.map((figures) => figures[at] ?? 0).toSorted((a, b) => a - b);
    const high = sorted[Math.ceil((sorted.length * 95) / 100) - 1] ?? 0;
    const part = high > 0 ? Math.min(1, Math.log1p(x) / Math.log1p(high)) : Math.sign(x);
    return total + (weights[at] ?? 0) * part;
  }, 0);
  return sum / weights.reduce((total, weight) => total + weight, 0);
}
